/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * A record of the packets in flight and of the losses at the time that a packet was sent, for algorithms that relate
 * a packet's loss to the inflight that they had allowed (BBR versions 2 and 3).
 *
 * A standard kernel does not store these numbers. Each sample does have the number of packets that had been delivered
 * when the acknowledged packet was sent (prior_delivered), and that number is the key of this table. A packet with
 * prior_delivered D was sent between the ACK that raised `delivered` to D and the next ACK. At that next ACK all
 * packets of this interval have been sent, and prior_in_flight is the number then in flight.
 *
 * Error: packets sent early in the interval saw less in flight, by at most what is sent between two ACKs. When the
 * window is larger than half of the table, adjacent numbers share an entry, and the stored value may be from up to
 * 2/RECORD_ENTRIES of a window later. Without holes the table is not needed: the inflight then equals the packets
 * delivered since. A lost packet is represented by the newest acknowledged one, sent at most a reordering window
 * later (RFC 8985 section 6.2: usually 3 packets; a quarter of a round trip after reordering).
 */
#ifndef FAIRLANE_TRANSMIT_RECORD_H
#define FAIRLANE_TRANSMIT_RECORD_H

#include "congestion_control.h"

#define RECORD_ENTRIES 256U       /* a power of two */

struct transmit_entry {
	__u32 tag;                     /* the number and its granularity */
	__u32 in_flight;               /* packets */
	__u32 lost;                    /* packets lost by then, as the caller counts them */
};

struct transmit_record {
	struct transmit_entry entries[RECORD_ENTRIES];
};

/* The granularity: 2^n adjacent numbers share an entry, so that a window takes less than half of the table. n is the
 * number of bits of cwnd / (RECORD_ENTRIES / 2). */
static __always_inline __u32 record_shift(__u32 cwnd)
{
	__u32 rest = cwnd / (RECORD_ENTRIES / 2), bits = 0, half;

	for (half = 16; half; half /= 2) {
		if (rest >> half) {
			rest >>= half;
			bits += half;
		}
	}
	return bits + rest;
}

static __always_inline __u32 record_tag(__u32 delivered, __u32 shift)
{
	/* 0 is an unused tag. */
	return (delivered >> shift << 5 | shift) + 1;
}

/* Stores the numbers of packets sent when `delivered` packets had been delivered. */
static __always_inline void record_put(struct transmit_record *record, __u32 shift, __u32 delivered,
				       __u32 in_flight, __u32 lost)
{
	struct transmit_entry *entry = &record->entries[delivered >> shift & (RECORD_ENTRIES - 1)];

	entry->tag = record_tag(delivered, shift);
	entry->in_flight = in_flight;
	entry->lost = lost;
}

/* False without an entry: at the start, or just after the granularity has changed. */
static __always_inline bool record_get(const struct transmit_record *record, __u32 shift, __u32 delivered,
				       struct transmit_entry *found)
{
	*found = record->entries[delivered >> shift & (RECORD_ENTRIES - 1)];
	return found->tag == record_tag(delivered, shift);
}

#endif /* FAIRLANE_TRANSMIT_RECORD_H */
