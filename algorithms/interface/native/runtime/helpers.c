/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The BPF helpers, for natively compiled programs: virtual clock, random numbers, storage per
 * connection, maps. The host points `fairlane_current` at the connection before each call; memory
 * comes from the host and lives as long as the loaded program.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "bpf_tracing_net.h"

struct tcp_sock *fairlane_current;

/* Zeroed memory from the host; the host frees the blocks of this list when it unloads the program. */
struct allocation {
	struct allocation *next;
	__u64 alignment;
};

void *(*fairlane_allocate)(__u64 bytes);
struct allocation *fairlane_allocations;

static void *allocate(__u64 bytes)
{
	struct allocation *allocation = fairlane_allocate(sizeof(*allocation) + bytes);

	if (!allocation)
		return NULL;
	allocation->next = fairlane_allocations;
	fairlane_allocations = allocation;
	return allocation + 1;
}

__u64 bpf_ktime_get_ns(void)
{
	return fairlane_current->tcp_clock_cache;
}

/* The counter starts away from 0, because programs take the stamp 0 for "never". The division is
 * done only when more than one jiffy has passed: ACKs often come in each. */
__u64 bpf_jiffies64(void)
{
	static __u64 start_ns, length_ns, count;
	__u64 now_ns = fairlane_current->tcp_clock_cache;
	__u64 jiffy_ns = fairlane_current->inet_conn.icsk_inet.sk.fairlane_jiffy_ns;

	if (jiffy_ns == length_ns && now_ns - start_ns < length_ns)
		return count;
	if (jiffy_ns == length_ns && now_ns - start_ns < 2 * length_ns) {
		count++;
		start_ns += length_ns;
	} else {
		count = (1 << 16) + now_ns / jiffy_ns;
		start_ns = now_ns - now_ns % jiffy_ns;
		length_ns = jiffy_ns;
	}
	return count;
}

long bpf_tcp_send_ack(void *tp, __u32 rcv_nxt)
{
	struct sock *sk = tp;

	sk->fairlane_ack_seq = rcv_nxt;
	sk->fairlane_ack_ece = !!(((struct tcp_sock *)tp)->ecn_flags & TCP_ECN_DEMAND_CWR);
	sk->fairlane_ack_asked = 1;
	return 0;
}

/* SplitMix64 over the flow's own state. */
__u32 bpf_get_prandom_u32(void)
{
	struct sock *sk = (struct sock *)fairlane_current;
	__u64 z = sk->fairlane_random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) >> 32;
}

long bpf_loop(__u32 count, void *callback, void *context, __u64 flags)
{
	long (*step)(__u64 index, void *context) = callback;
	__u32 i;

	for (i = 0; i < count; i++)
		if (step(i, context))
			return i + 1;
	return count;
}

void *bpf_ringbuf_reserve(void *ringbuf, __u64 size, __u64 flags)
{
	static __u64 scratch[512];

	return size <= sizeof(scratch) ? scratch : NULL;
}

/* A connection's blocks hang in a list from icsk_ca_ops; those of closed connections wait for reuse. */
struct block {
	struct block *next;
	void *map;
	__u64 bytes;
	__u64 data[];
};

static struct block *unused_blocks;

static struct block *take_block(void *map, __u64 bytes)
{
	struct block **link, *block;

	for (link = &unused_blocks; (block = *link); link = &block->next) {
		if (block->bytes == bytes) {
			*link = block->next;
			__builtin_memset(block->data, 0, bytes);
			break;
		}
	}
	if (!block)
		block = allocate(sizeof(*block) + bytes);
	if (block) {
		block->map = map;
		block->bytes = bytes;
	}
	return block;
}

static struct block **blocks_of(void *sk)
{
	return (struct block **)&((struct inet_connection_sock *)sk)->icsk_ca_ops;
}

void *fairlane_sk_storage_get(void *map, __u64 bytes, void *sk, void *value, __u64 flags)
{
	struct block *block;

	if (!sk)
		return NULL;
	for (block = *blocks_of(sk); block; block = block->next)
		if (block->map == map)
			return block->data;
	if (!(flags & BPF_SK_STORAGE_GET_F_CREATE))
		return NULL;
	block = take_block(map, bytes);
	if (!block)
		return NULL;
	if (value)
		__builtin_memcpy(block->data, value, bytes);
	block->next = *blocks_of(sk);
	*blocks_of(sk) = block;
	return block->data;
}

long fairlane_sk_storage_delete(void *map, void *sk)
{
	struct block **link, *block;

	for (link = blocks_of(sk); (block = *link); link = &block->next) {
		if (block->map == map) {
			*link = block->next;
			block->next = unused_blocks;
			unused_blocks = block;
			return 0;
		}
	}
	return -2; /* ENOENT */
}

/* The host calls this after release(). */
void fairlane_forget_connection(void *sk)
{
	struct block *block;

	while ((block = *blocks_of(sk))) {
		*blocks_of(sk) = block->next;
		block->next = unused_blocks;
		unused_blocks = block;
	}
}

/* All maps of the program in one list of entries per map, newest first. Maps of congestion controls
 * are small or rarely used; a list serves. */
struct entry {
	struct entry *next;
	void *map;
	__u64 key_bytes;
	__u64 data[]; /* key, padded to 8 bytes, then value */
};

static struct entry *entries;

static __u64 padded(__u64 bytes)
{
	return (bytes + 7) & ~7ULL;
}

static struct entry *find_entry(void *map, __u64 key_bytes, const void *key)
{
	struct entry *entry;

	for (entry = entries; entry; entry = entry->next)
		if (entry->map == map && !__builtin_memcmp(entry->data, key, key_bytes))
			return entry;
	return NULL;
}

static struct entry *add_entry(void *map, __u64 key_bytes, __u64 value_bytes, const void *key)
{
	struct entry *entry = allocate(sizeof(*entry) + padded(key_bytes) + value_bytes);

	if (entry) {
		entry->map = map;
		entry->key_bytes = key_bytes;
		__builtin_memcpy(entry->data, key, key_bytes);
		entry->next = entries;
		entries = entry;
	}
	return entry;
}

static bool is_array(__u32 type)
{
	return type == BPF_MAP_TYPE_ARRAY || type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static void *value_of(struct entry *entry)
{
	return (char *)entry->data + padded(entry->key_bytes);
}

void *fairlane_map_lookup(void *map, __u32 type, __u32 max_entries, __u64 key_bytes, __u64 value_bytes,
			  const void *key)
{
	struct entry *entry = find_entry(map, key_bytes, key);

	/* The elements of an array exist from the start, as zeros. */
	if (!entry && is_array(type) && *(const __u32 *)key < max_entries)
		entry = add_entry(map, key_bytes, value_bytes, key);
	return entry ? value_of(entry) : NULL;
}

long fairlane_map_update(void *map, __u32 type, __u32 max_entries, __u64 key_bytes, __u64 value_bytes,
			 const void *key, const void *value, __u64 flags)
{
	struct entry *entry = find_entry(map, key_bytes, key);

	if (is_array(type) && *(const __u32 *)key >= max_entries)
		return -7; /* E2BIG */
	if (entry && flags == BPF_NOEXIST)
		return -17; /* EEXIST */
	if (!entry && flags == BPF_EXIST && !is_array(type))
		return -2; /* ENOENT */
	if (!entry)
		entry = add_entry(map, key_bytes, value_bytes, key);
	if (!entry)
		return -12; /* ENOMEM */
	__builtin_memcpy(value_of(entry), value, value_bytes);
	return 0;
}

long fairlane_map_delete(void *map, __u64 key_bytes, const void *key)
{
	struct entry **link, *entry;

	for (link = &entries; (entry = *link); link = &entry->next) {
		if (entry->map == map && !__builtin_memcmp(entry->data, key, key_bytes)) {
			*link = entry->next;
			return 0;
		}
	}
	return -2; /* ENOENT */
}
