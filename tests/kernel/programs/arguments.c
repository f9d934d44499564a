// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Calls a cong_control() as kernels before and since Linux 6.10 do, and prints which argument it takes for the sample. */
#include "congestion_control.h"

int printf(const char *format, ...);

int LINUX_KERNEL_VERSION;
static unsigned long long taken_sk, taken_sample;

void CONG_CONTROL(take, sk, sample)
{
	taken_sk = (unsigned long)sk;
	taken_sample = (unsigned long)sample;
}

int main(void)
{
	static const int versions[] = { KERNEL_VERSION(5, 15, 0), KERNEL_VERSION(6, 9, 12), KERNEL_VERSION(6, 10, 0),
					KERNEL_VERSION(6, 18, 3) };
	unsigned long long context[4] = { 100, 101, 102, 103 };
	int i;

	for (i = 0; i < 4; i++) {
		LINUX_KERNEL_VERSION = versions[i];
		take(context);
		printf("%llu %llu\n", taken_sk, taken_sample);
	}
	return 0;
}
