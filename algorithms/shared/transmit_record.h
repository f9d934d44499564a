/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What was in flight, and what had been lost, when a packet was sent: for algorithms that judge a packet's
 * fate by what they had allowed at that time (BBR versions 2 and 3).
 *
 * A standard kernel does not remember it. It does tell, with each sample, how much had been delivered when
 * the acknowledged packet left (prior_delivered), so this table remembers by that number. A packet with
 * prior_delivered D left between the ACK that raised `delivered` to D and the next ACK; at that next ACK
 * everything has been sent that was sent in between, and prior_in_flight says how much is then in flight.
 *
 * Error: packets that left earlier between the two ACKs saw less in flight, by at most what was sent
 * between two ACKs. Neighbouring numbers share an entry when the window is larger than half of the
 * table; then what is remembered is of up to 2/RECORD_ENTRIES of a window later. While there are no holes
 * the table is not needed: what was in flight is what has been delivered since. For a lost packet the
 * newest acknowledged one stands in, which was sent at most a reordering window later (RFC 8985
 * section 6.2: as a rule 3 packets, a quarter of a round trip once reordering has been seen).
 */
#ifndef FAIRLANE_TRANSMIT_RECORD_H
#define FAIRLANE_TRANSMIT_RECORD_H

#include "congestion_control.h"

#define RECORD_ENTRIES 256U       /* a power of two */

struct transmit_entry {
	__u32 tag;                     /* which number, at which coarseness */
	__u32 in_flight;               /* packets */
	__u32 lost;                    /* packets lost by then, as the caller counts them */
};

struct transmit_record {
	struct transmit_entry entries[RECORD_ENTRIES];
};

/* Neighbouring numbers (a power of two of them) share an entry, so that a window takes less than half of the
 * table: the bits of cwnd / (RECORD_ENTRIES / 2). */
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

/* For packets that were sent when `delivered` had been delivered. */
static __always_inline void record_put(struct transmit_record *record, __u32 shift, __u32 delivered,
				       __u32 in_flight, __u32 lost)
{
	struct transmit_entry *entry = &record->entries[delivered >> shift & (RECORD_ENTRIES - 1)];

	entry->tag = record_tag(delivered, shift);
	entry->in_flight = in_flight;
	entry->lost = lost;
}

/* False if nothing is known: right at the start, or when the window has just changed its size class. */
static __always_inline bool record_get(const struct transmit_record *record, __u32 shift, __u32 delivered,
				       struct transmit_entry *found)
{
	*found = record->entries[delivered >> shift & (RECORD_ENTRIES - 1)];
	return found->tag == record_tag(delivered, shift);
}

#endif /* FAIRLANE_TRANSMIT_RECORD_H */
