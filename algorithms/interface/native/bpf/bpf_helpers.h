/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The declarations of libbpf's header of this name, for natively compiled programs.
 *
 * Sections keep their names, because the host finds the tables, maps and parameters by them. Helpers
 * are ordinary functions of native/runtime/; a helper that is declared nowhere here is found by the
 * host when it loads the program, and named.
 */
#ifndef __BPF_HELPERS__
#define __BPF_HELPERS__

#include "vmlinux.h"

#define SEC(name) __attribute__((section(name), used))

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#ifndef __noinline
#define __noinline __attribute__((noinline))
#endif
#ifndef __weak
#define __weak __attribute__((weak))
#endif
#ifndef __hidden
#define __hidden __attribute__((visibility("hidden")))
#endif
#ifndef __maybe_unused
#define __maybe_unused __attribute__((unused))
#endif
#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif
#ifndef barrier
#define barrier() __asm__ volatile("" ::: "memory")
#endif
#ifndef barrier_var
#define barrier_var(x) __asm__ volatile("" : "+r"(x))
#endif

/* Resolved by the loader under BPF, by the linker here. */
#define __kconfig
#define __ksym
#define __kptr
#define __kptr_untrusted
#define __percpu_kptr
#define __arg_ctx
#define __arg_nonnull
#define __arg_nullable
#define __arg_trusted

#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#ifndef container_of
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#endif
#ifndef KERNEL_VERSION
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))
#endif
#ifndef EBUSY
#define EBUSY 16
#endif

/* A map's attributes live in the types of its members, as libbpf has it. */
#define __uint(name, value) int(*name)[value]
#define __type(name, value) __typeof__(value) *name
#define __array(name, value) __typeof__(value) *name[]
#define __ulong(name, value) enum { __fairlane_ulong_##name = value } name

#define FAIRLANE_MAP_TYPE(map_) ((__u32)(sizeof(*(map_)->type) / sizeof(int)))
#define FAIRLANE_MAP_ENTRIES(map_) ((__u32)(sizeof(*(map_)->max_entries) / sizeof(int)))

/* Storage per connection. */
void *fairlane_sk_storage_get(void *map, __u64 bytes, void *sk, void *value, __u64 flags);
long fairlane_sk_storage_delete(void *map, void *sk);
#define bpf_sk_storage_get(map_, sk_, value_, flags_)                                              \
	fairlane_sk_storage_get((void *)(map_), sizeof(*(map_)->value), (void *)(sk_), (void *)(value_), flags_)
#define bpf_sk_storage_delete(map_, sk_) fairlane_sk_storage_delete((void *)(map_), (void *)(sk_))

/* Hash and array maps: one table per loaded program. */
void *fairlane_map_lookup(void *map, __u32 type, __u32 entries, __u64 key_bytes, __u64 value_bytes,
			  const void *key);
long fairlane_map_update(void *map, __u32 type, __u32 entries, __u64 key_bytes, __u64 value_bytes,
			 const void *key, const void *value, __u64 flags);
long fairlane_map_delete(void *map, __u64 key_bytes, const void *key);
#define bpf_map_lookup_elem(map_, key_)                                                            \
	fairlane_map_lookup((void *)(map_), FAIRLANE_MAP_TYPE(map_), FAIRLANE_MAP_ENTRIES(map_),   \
			    sizeof(*(map_)->key), sizeof(*(map_)->value), key_)
#define bpf_map_update_elem(map_, key_, value_, flags_)                                            \
	fairlane_map_update((void *)(map_), FAIRLANE_MAP_TYPE(map_), FAIRLANE_MAP_ENTRIES(map_),   \
			    sizeof(*(map_)->key), sizeof(*(map_)->value), key_, value_, flags_)
#define bpf_map_delete_elem(map_, key_) \
	fairlane_map_delete((void *)(map_), sizeof(*(map_)->key), key_)

/* Ring buffers have no reader here: records are accepted and discarded. */
void *bpf_ringbuf_reserve(void *ringbuf, __u64 size, __u64 flags);
#define bpf_ringbuf_submit(record, flags) ((void)(record))
#define bpf_ringbuf_discard(record, flags) ((void)(record))
#define bpf_ringbuf_output(ringbuf, data, size, flags) ((long)0)

/* Lines for a trace of the algorithm; in other runs they are not formatted. Up to twelve values, as in libbpf. */
extern __u32 fairlane_listened;
int fairlane_print(const char *format, __u32 bytes, const __u64 *values, __u32 count);
#define FAIRLANE_VALUES_N(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, n, ...) n
#define FAIRLANE_VALUES(args...)                                                                   \
	FAIRLANE_VALUES_N(_, ##args, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define FAIRLANE_PRINTED_0()
#define FAIRLANE_PRINTED_1(x) , (__u64)(x)
#define FAIRLANE_PRINTED_2(x, args...) , (__u64)(x) FAIRLANE_PRINTED_1(args)
#define FAIRLANE_PRINTED_3(x, args...) , (__u64)(x) FAIRLANE_PRINTED_2(args)
#define FAIRLANE_PRINTED_4(x, args...) , (__u64)(x) FAIRLANE_PRINTED_3(args)
#define FAIRLANE_PRINTED_5(x, args...) , (__u64)(x) FAIRLANE_PRINTED_4(args)
#define FAIRLANE_PRINTED_6(x, args...) , (__u64)(x) FAIRLANE_PRINTED_5(args)
#define FAIRLANE_PRINTED_7(x, args...) , (__u64)(x) FAIRLANE_PRINTED_6(args)
#define FAIRLANE_PRINTED_8(x, args...) , (__u64)(x) FAIRLANE_PRINTED_7(args)
#define FAIRLANE_PRINTED_9(x, args...) , (__u64)(x) FAIRLANE_PRINTED_8(args)
#define FAIRLANE_PRINTED_10(x, args...) , (__u64)(x) FAIRLANE_PRINTED_9(args)
#define FAIRLANE_PRINTED_11(x, args...) , (__u64)(x) FAIRLANE_PRINTED_10(args)
#define FAIRLANE_PRINTED_12(x, args...) , (__u64)(x) FAIRLANE_PRINTED_11(args)
#define FAIRLANE_PASTE_(a, b) a##b
#define FAIRLANE_PASTE(a, b) FAIRLANE_PASTE_(a, b)
#define FAIRLANE_PRINTED(args...) FAIRLANE_PASTE(FAIRLANE_PRINTED_, FAIRLANE_VALUES(args))(args)
#define bpf_printk(format, args...)                                                                \
	(fairlane_listened ? fairlane_print(format, sizeof(format), (const __u64[]){ 0 FAIRLANE_PRINTED(args) } + 1, \
					    FAIRLANE_VALUES(args)) :                               \
			     0)
#define bpf_trace_printk(format, bytes, args...)                                                   \
	((long)(fairlane_listened ? fairlane_print(format, bytes, (const __u64[]){ 0 FAIRLANE_PRINTED(args) } + 1, \
						   FAIRLANE_VALUES(args)) :                        \
				    0))

/* The run's virtual clock and the flow's own random stream. */
__u64 bpf_ktime_get_ns(void);
__u64 bpf_jiffies64(void);
__u32 bpf_get_prandom_u32(void);
#define bpf_ktime_get_boot_ns() bpf_ktime_get_ns()
#define bpf_ktime_get_coarse_ns() bpf_ktime_get_ns()
#define bpf_ktime_get_tai_ns() bpf_ktime_get_ns()

/* One connection, one processor, one process. */
#define bpf_get_smp_processor_id() ((__u32)0)
#define bpf_get_current_pid_tgid() ((__u64)0)
#define bpf_get_socket_cookie(sk) ((__u64)((struct sock *)(sk))->fairlane_flow + 1)
#define bpf_spin_lock(lock) ((void)(lock))
#define bpf_spin_unlock(lock) ((void)(lock))
#define bpf_rcu_read_lock() ((void)0)
#define bpf_rcu_read_unlock() ((void)0)
struct bpf_spin_lock {
	__u32 val;
};

/* Options cannot be changed from inside a callback here; the calls fail as they may in the kernel. */
#define bpf_setsockopt(sk, level, name, value, length) ((long)-1)
#define bpf_getsockopt(sk, level, name, value, length) ((long)-1)
/* An acknowledgement up to `rcv_nxt`, with ECE if `ecn_flags` demands it now; one per callback. */
long bpf_tcp_send_ack(void *tp, __u32 rcv_nxt);

#define bpf_probe_read_kernel(to, size, from) ((long)!__builtin_memcpy(to, from, size))
#define bpf_probe_read(to, size, from) ((long)!__builtin_memcpy(to, from, size))

#define bpf_for(i, start, end) for ((i) = (start); (i) < (end); (i)++)
#define bpf_repeat(n) for (int fairlane_i = 0, fairlane_n = (n); fairlane_i < fairlane_n; fairlane_i++)
#define can_loop true
#define cond_break ((void)0)
long bpf_loop(__u32 count, void *callback, void *context, __u64 flags);

#endif /* __BPF_HELPERS__ */
