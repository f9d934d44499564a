/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * bpf_printk, for natively compiled programs: lines that the host takes after a callback, if it listens. What it
 * formats is what bpf_trace_printk formats: %d %i %u %x %X %p %c %s and %%, with l or ll, a width, and leading zeros.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

__u32 fairlane_listened;

/* Text that the host has not taken yet; each line ends with a line feed. What does not fit is counted. */
struct {
	__u32 used;
	__u32 lost;
	char text[8184];
} fairlane_printed;

static void put(char c)
{
	if (fairlane_printed.used < sizeof(fairlane_printed.text))
		fairlane_printed.text[fairlane_printed.used++] = c;
}

static void put_number(__u64 value, bool negative, __u32 base, const char *digits, __u32 width, char pad)
{
	char reversed[20];
	__u32 length = 0, shown;

	do {
		reversed[length++] = digits[value % base];
		value /= base;
	} while (value);
	shown = length + negative;
	if (negative && pad == '0')
		put('-');
	for (; shown < width; shown++)
		put(pad);
	if (negative && pad != '0')
		put('-');
	while (length)
		put(reversed[--length]);
}

int fairlane_print(const char *format, __u32 bytes, const __u64 *values, __u32 count)
{
	__u32 begin = fairlane_printed.used, at = 0, longs, width;
	const char *string;
	__u64 value;
	char c, pad;

	while (at < bytes && (c = format[at++])) {
		if (c != '%') {
			/* A line feed at the end is ours to write. */
			if (c != '\n' || (at < bytes && format[at]))
				put(c);
			continue;
		}
		pad = ' ';
		width = longs = 0;
		for (; at < bytes; at++) {
			c = format[at];
			if (c == '0' && !width)
				pad = '0';
			else if (c >= '0' && c <= '9')
				width = width < 100 ? 10 * width + (c - '0') : width;
			else if (c == 'l')
				longs++;
			else
				break;
		}
		c = at < bytes ? format[at++] : '\0';
		if (c == '%') {
			put('%');
			continue;
		}
		value = count ? *values : 0;
		if (!count) {
			put('?');
			continue;
		}
		values++;
		count--;
		if (c == 'd' || c == 'i') {
			__s64 number = longs ? (__s64)value : (__s32)value;

			put_number(number < 0 ? -(__u64)number : number, number < 0, 10, "0123456789", width, pad);
		} else if (c == 'u') {
			put_number(longs ? value : (__u32)value, false, 10, "0123456789", width, pad);
		} else if (c == 'x' || c == 'p') {
			put_number(longs || c == 'p' ? value : (__u32)value, false, 16, "0123456789abcdef", width, pad);
		} else if (c == 'X') {
			put_number(longs ? value : (__u32)value, false, 16, "0123456789ABCDEF", width, pad);
		} else if (c == 'c') {
			put((char)value);
		} else if (c == 's') {
			for (string = (const char *)value; string && *string; string++)
				put(*string);
		} else {
			put('?');
		}
	}
	if (fairlane_printed.used == sizeof(fairlane_printed.text)) {
		fairlane_printed.used = begin;
		fairlane_printed.lost++;
		return -1;
	}
	put('\n');
	return fairlane_printed.used - begin;
}
