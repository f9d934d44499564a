// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * reno: grows by one packet per round trip and halves the window after a loss
 *
 *	below ssthresh:   cwnd += 1 per packet delivered          (doubles in a round trip)
 *	above ssthresh:   cwnd += 1 per cwnd packets delivered    (one packet in a round trip)
 *	after a loss:     ssthresh = cwnd / 2
 *
 *	   slow start --cwnd reaches ssthresh, or loss--> congestion avoidance
 *	        ^-------------retransmission time-out------------'
 *
 * Source: RFC 5681 section 3.1. Fast recovery is TCP's, with selective acknowledgements and
 * proportional rate reduction (RFC 6937); papers call that NewReno.
 *
 * Deviations from the RFC, as in Linux:
 * 1. The window counts packets, and grows by packets acknowledged, not by ACKs (RFC 3465 without its limit).
 * 2. ssthresh is half the window, not half the data in flight; TCP lets the window grow only
 *    while it is the limit, so 