/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The maximum of the samples of the last `window` units of time, in constant space: the largest sample, the largest
 * since then, and the largest since that one. When the first leaves the window, the second replaces it.
 * (K. Nichols' estimator, used by BBR.)
 */
#ifndef FAIRLANE_WINDOWED_MAX_H
#define FAIRLANE_WINDOWED_MAX_H

#include "vmlinux.h"

struct windowed_sample {
	__u32 time;
	__u32 value;
};

struct windowed_max {
	struct windowed_sample best, second, third;
};

static __always_inline void windowed_max_reset(struct windowed_max *max, struct windowed_sample sample)
{
	max->best = max->second = max->third = sample;
}

static __always_inline void windowed_max_add(struct windowed_max *max, __u32 window, struct windowed_sample sample)
{
	__u32 age;

	/* A new maximum, or all samples are outside of the window. */
	if (sample.value >= max->best.value || sample.time - max->third.time > window) {
		windowed_max_reset(max, sample);
		return;
	}
	if (sample.value >= max->second.value)
		max->second = max->third = sample;
	else if (sample.value >= max->third.value)
		max->third = sample;

	age = sample.time - max->best.time;
	if (age > window) {
		/* The largest has left the window, and perhaps the second as well. */
		max->best = max->second;
		max->second = max->third;
		max->third = sample;
		if (sample.time - max->best.time > window) {
			max->best = max->second;
			max->second = max->third;
		}
	} else if (max->second.time == max->best.time && age > window / 4) {
		/* No second choice after a quarter of the window: take one from the second quarter. */
		max->second = max->third = sample;
	} else if (max->third.time == max->second.time && age > window / 2) {
		/* No third choice after half of the window: take one from the second half. */
		max->third = sample;
	}
}

#endif /* FAIRLANE_WINDOWED_MAX_H */
