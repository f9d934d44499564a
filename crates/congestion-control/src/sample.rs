//! The samples that callbacks get.

use crate::table::{internal, read_only};

crate::kernel_struct! {
    /// The delivery-rate sample of an acknowledgement (`struct rate_sample`).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RateSample (sample: true) {
        rate_sample {
            /// Start of the interval; 0: no sample.
            prior_mstamp: u64 = 0 => read_only("us");
            /// `delivered` at the start of the interval.
            prior_delivered: u32 = 0 => read_only("packets");
            /// `delivered_ce` at the start of the interval.
            prior_delivered_ce: u32 = 0 => read_only("packets");
            /// Delivered over the interval; negative: the sample is invalid.
            delivered: i32 = 0 => read_only("packets");
            /// Delivered with an ECN mark over the interval.
            delivered_ce: i32 = 0 => read_only("packets");
            /// Length of the interval; negative: the sample is invalid.
            interval_us: i64 = 0 => read_only("us").c("kernel_long");
            /// Time in which the packets were sent.
            snd_interval_us: u32 = 0 => read_only("us");
            /// Time in which the packets were acknowledged.
            rcv_interval_us: u32 = 0 => read_only("us");
            /// RTT of the last acknowledged packet; -1: none.
            rtt_us: i64 = 0 => read_only("us").c("kernel_long");
            /// Marked lost by this acknowledgement.
            losses: i32 = 0 => read_only("packets");
            /// Newly acknowledged or SACKed.
            acked_sacked: u32 = 0 => read_only("packets");
            /// In flight before this acknowledgement.
            prior_in_flight: u32 = 0 => read_only("packets");
            /// End of the most recently sent packet that was acknowledged.
            last_end_seq: u32 = 0 => read_only("sequence number");
            /// The application limited the rate.
            is_app_limited: u8 = 0 => read_only("bool").c("bool");
            /// The sample is from a retransmission.
            is_retrans: u8 = 0 => read_only("bool").c("bool");
            /// The acknowledgement was probably delayed.
            is_ack_delayed: u8 = 0 => read_only("bool").c("bool");
            _pad: u8 = 0 => internal();
        } lacks {}
    }
}

crate::kernel_struct! {
    /// The sample of `pkts_acked` (`struct ack_sample`).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct AckSample (sample: true) {
        ack_sample {
            /// Newly acknowledged.
            pkts_acked: u32 = 0 => read_only("packets");
            /// RTT; -1: no sample.
            rtt_us: i32 = 0 => read_only("us");
            /// In flight when the newest acknowledged packet was sent.
            in_flight: u32 = 0 => read_only("packets");
        } lacks {}
    }
}
