/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Makes the next algorithm that is included private to its file: its callbacks become static functions with the prefix
 * `own_` and the arguments as written, its parameters become constants, and its table disappears. KERNEL_FUNCTION
 * declares the functions that the file offers to programs, under the kernel's names.
 *
 * The name of a callback also becomes a constant 0, because the algorithm's table names it.
 */
#include "congestion_control.h"

#undef SEC
#undef BPF_PROG
#undef CONG_CONTROL
#undef CWND_EVENT

#define SEC(name) __attribute__((unused))
#define FAIRLANE_PRIVATE(name) own_type_##name(void); enum { name }; static __typeof__(own_type_##name()) own_##name
#define BPF_PROG(name, args...) FAIRLANE_PRIVATE(name)(args)
#define CONG_CONTROL(name, sk, sample) FAIRLANE_PRIVATE(name)(struct sock *sk, const struct rate_sample *sample)
#define CWND_EVENT(name, sk, event)                                                                \
	own_type_##name(void);                                                                     \
	enum { name, name##_tx_start };                                                            \
	static void own_##name(struct sock *sk, enum tcp_ca_event event)

#define volatile static
#define tcp_congestion_ops tcp_congestion_ops static
#define _license __attribute__((weak)) fairlane_license

/* `offered` is declared and defined under another name in C, because an algorithm may have a callback of its name. Weak,
 * so that a program that brings its own of the same name wins. */
#define KERNEL_FUNCTION(type, offered, args...)                                                    \
	type kernel_##offered(args) __asm__(#offered);                                             \
	__attribute__((weak)) type kernel_##offered(args)
