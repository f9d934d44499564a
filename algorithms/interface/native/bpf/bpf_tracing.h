/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * BPF_PROG, natively. A callback is called as in the kernel: with one pointer to an array of 64-bit
 * words, one per argument. The macro makes two functions of the program's one: the callback, which
 * unpacks the words, and the body with the arguments as the author wrote them. It also notes how many
 * arguments the author named, since cong_control() had two before Linux 6.10 and has four since.
 */
#ifndef __BPF_TRACING_H__
#define __BPF_TRACING_H__

#include <bpf/bpf_helpers.h>

#define FAIRLANE_JOIN_(a, b) a##b
#define FAIRLANE_JOIN(a, b) FAIRLANE_JOIN_(a, b)
#define FAIRLANE_COUNT_(_0, _1, _2, _3, _4, _5, _6, _7, _8, n, ...) n
#define FAIRLANE_COUNT(args...) FAIRLANE_COUNT_(0, ##args, 8, 7, 6, 5, 4, 3, 2, 1, 0)

#define FAIRLANE_WORDS_0
#define FAIRLANE_WORDS_1 , ctx[0]
#define FAIRLANE_WORDS_2 FAIRLANE_WORDS_1, ctx[1]
#define FAIRLANE_WORDS_3 FAIRLANE_WORDS_2, ctx[2]
#define FAIRLANE_WORDS_4 FAIRLANE_WORDS_3, ctx[3]
#define FAIRLANE_WORDS_5 FAIRLANE_WORDS_4, ctx[4]
#define FAIRLANE_WORDS_6 FAIRLANE_WORDS_5, ctx[5]
#define FAIRLANE_WORDS_7 FAIRLANE_WORDS_6, ctx[6]
#define FAIRLANE_WORDS_8 FAIRLANE_WORDS_7, ctx[7]

struct fairlane_arity {
	void *callback;
	__u64 arguments;
};

#define FAIRLANE_NOTE_ARITY(name, count)                                                           \
	static const struct fairlane_arity fairlane_arity_##name SEC(".fairlane_arity") = {        \
		(void *)name, count                                                                \
	};

#define BPF_PROG(name, args...)                                                                    \
	name(unsigned long long *ctx);                                                             \
	FAIRLANE_NOTE_ARITY(name, FAIRLANE_COUNT(args))                                            \
	static inline __attribute__((always_inline)) __typeof__(name(0))                           \
		fairlane_body_##name(unsigned long long *ctx, ##args);                             \
	__typeof__(name(0)) name(unsigned long long *ctx)                                          \
	{                                                                                          \
		return fairlane_body_##name(                                                       \
			ctx FAIRLANE_JOIN(FAIRLANE_WORDS_, FAIRLANE_COUNT(args)));                 \
	}                                                                                          \
	static inline __attribute__((always_inline)) __typeof__(name(0))                           \
		fairlane_body_##name(unsigned long long *ctx, ##args)

#define BPF_PROG2(name, args...) BPF_PROG(name, args)
#define BPF_STRUCT_OPS(name, args...) SEC("struct_ops/" #name) BPF_PROG(name, args)

#endif /* __BPF_TRACING_H__ */
