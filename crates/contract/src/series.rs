//! Time series: columns of flows and links, sampled at a constant interval.
//!
//! Values of an interval belong to the sample at its end.

use crate::Rows;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// All time series of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    pub interval_s: f64,
    /// Absent from JSON if the caller took them as tables.
    #[serde(skip_serializing_if = "Rows::is_empty")]
    pub flows: Rows<FlowSamples>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkSamples>,
    #[serde(skip_serializing_if = "Watched::is_empty")]
    pub watched: Watched,
}

/// The members of the scenario's `watch` at the times of the flows' samples.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Watched {
    pub names: Vec<String>,
    /// Values by flow and name; none if the flow's algorithm has no such member.
    pub flows: Rows<Vec<Vec<Option<i64>>>>,
}

impl Watched {
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() || self.flows.is_empty()
    }
}

/// A column of a time series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    /// Its Rust type, `Option<f32>` where a sample may have none.
    pub cell: &'static str,
    pub meaning: &'static str,
}

/// The values of a column; `Optional…` where a sample may have none.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    F32(Vec<f32>),
    OptionalF32(Vec<Option<f32>>),
    F64(Vec<f64>),
    OptionalF64(Vec<Option<f64>>),
    U32(Vec<u32>),
    OptionalU32(Vec<Option<u32>>),
    U64(Vec<u64>),
    OptionalI64(Vec<Option<i64>>),
}

macro_rules! cells {
    ($($kind:ident: $cell:ty,)*) => {
        $(impl From<Vec<$cell>> for Cells {
            fn from(values: Vec<$cell>) -> Self {
                Self::$kind(values)
            }
        })*

        impl Cells {
            pub fn len(&self) -> usize {
                match self { $(Self::$kind(values) => values.len(),)* }
            }

            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Adds the values of the same column of another table.
            ///
            /// # Panics
            /// The columns have different types.
            pub fn append(&mut self, other: Self) {
                match (self, other) {
                    $((Self::$kind(values), Self::$kind(mut more)) => values.append(&mut more),)*
                    _ => panic!("columns of different types"),
                }
            }
        }
    };
}

cells! {
    F32: f32,
    OptionalF32: Option<f32>,
    F64: f64,
    OptionalF64: Option<f64>,
    U32: u32,
    OptionalU32: Option<u32>,
    U64: u64,
    OptionalI64: Option<i64>,
}

/// A structure of columns and the list of them, from one declaration.
macro_rules! columns {
    ($(#[doc = $about:literal])* $table:ident { $($(#[doc = $meaning:literal])+ $column:ident: $cell:ty,)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
        pub struct $table {
            $($(#[doc = $meaning])+ pub $column: Vec<$cell>,)*
        }

        impl $table {
            /// The columns in order.
            pub const COLUMNS: &[Column] = &[$(Column {
                name: stringify!($column),
                cell: stringify!($cell),
                meaning: concat!($($meaning),+),
            }),*];

            /// The rows from number `from` on.
            #[must_use]
            pub fn rows_from(&self, from: usize) -> Self {
                Self { $($column: self.$column.get(from..).unwrap_or(&[]).to_vec(),)* }
            }

            /// Names and values of the columns in order.
            pub fn into_cells(self) -> Vec<(Cow<'static, str>, Cells)> {
                vec![$((stringify!($column).into(), Cells::from(self.$column))),*]
            }
        }
    };
}

columns! {
    /// The time series of a flow; all columns have the same length.
    FlowSamples {
        /// Time since the start of the run, at the end of the interval.
        t_s: f64,
        /// Goodput of the interval.
        mbps: f32,
        /// Frames that reached the receiver in the interval.
        throughput_mbps: f32,
        /// Frames that the sender transmitted in the interval.
        sending_rate_mbps: f32,
        /// Congestion window.
        cwnd_packets: u32,
        /// Smoothed RTT; none before the first measurement.
        rtt_ms: Option<f64>,
        /// Smoothed mean deviation of the RTT (Linux's tcpi_rttvar); none before the first measurement.
        rttvar_us: Option<u32>,
        /// Mean of the RTTs measured in the interval; none if there was no measurement.
        packet_rtt_ms: Option<f32>,
        /// Segments retransmitted in the interval.
        retransmits: u32,
        /// Packets towards the receiver that the network dropped or lost in the interval.
        lost_packets: u32,
        /// Pacing rate; none without a limit, as at the start of algorithms that do not pace.
        pacing_mbps: Option<f32>,
        /// Packets in flight.
        inflight_packets: u32,
        /// Receive window beyond the first unacknowledged byte (Linux's tcpi_snd_wnd); none before the handshake, and
        /// without flow control.
        receive_window_bytes: Option<u32>,
        /// Packets of the interval whose acknowledgement reported congestion (ECN).
        marked_packets: u32,
    }
}

columns! {
    /// The time series of a link; all columns have the same length.
    LinkSamples {
        /// Time since the start of the run, at the end of the interval.
        t_s: f64,
        /// Bytes in the queue at the time of the sample.
        queue_bytes: u64,
        /// Mean of the bytes in the queue over the interval.
        mean_queue_bytes: f32,
        /// Mean time in the queue of the packets that left it in the interval; none if none left.
        queue_delay_ms: Option<f32>,
        /// Frames transmitted in the interval.
        throughput_mbps: f32,
        /// Packets dropped by the queue in the interval.
        dropped_packets: u64,
        /// Packets marked by the queue in the interval (ECN).
        marked_packets: u64,
    }
}

columns! {
    /// Sizes of the PPDUs of a Wi-Fi queue; all columns have the same length.
    LinkAggregates {
        /// Number of MPDUs.
        mpdus: u32,
        /// PPDUs with that number.
        ppdus: u64,
    }
}

columns! {
    /// Frames of a Wi-Fi queue in the recorded part of the run; all columns have the same length.
    LinkAccesses {
        /// Start of the frame, RTS and CTS included.
        start_ms: f64,
        /// End of the frame.
        end_ms: f64,
        /// End of its Block Ack; the end of the frame without one.
        until_ms: f64,
        /// Number of MPDUs; 0 for a BlockAckReq or a beacon. The first downlink has the beacons.
        mpdus: u32,
        /// MPDUs that the Block Ack confirmed.
        confirmed: u32,
        /// 1 if other frames were on the air at the same time.
        collided: u32,
    }
}
