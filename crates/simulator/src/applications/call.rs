//! A video call in one direction: a frame at a constant interval, each in the bitrate that feedback allows.
//!
//! The data sender encodes, the data receiver shows. A frame is shown when it is complete, late or not, as a jitter buffer
//! that adapts does. The receiver reports at a constant interval; the report crosses the network. It says whether the
//! line is congested: a frame took longer than the limit above the fastest frame, or frames are on the way that are older
//! than that. After such a report the bitrate goes down one step; after a time with good reports only, it goes up one.
//! A step up that congests the line soon doubles that time, so that a call does not try the same again and again.
//! This is the behaviour that the test cases of RFC 8867 expect of congestion control for real-time media, without the
//! detail of one algorithm.
//!
//! The encoder skips frames while the oldest frame on the way is older than [`BACKLOG_NS`] (over RTP the oldest that has
//! not left): these are lost.
//! A freeze is a gap between two frames that are shown of at least 3 frame intervals, and 150 ms more than one
//! (W3C, Identifiers for WebRTC's Statistics API, `freezeCount`).
//!
//! Over TCP and QUIC frames are a reliable stream: a lost packet delays the frames behind it. Over RTP each is on its own,
//! and is lost if one of its packets is; there the transport reports and chooses the bitrate, within those of the ladder.

use super::{Application, Next};
use fairlane_contract::ApplicationMetrics;
use fairlane_engine::{Histogram, NS_PER_SEC};
use fairlane_transport::Transport;
use std::collections::VecDeque;

/// Older than that, frames are of no use to a conversation (ITU-T G.114 recommends not to exceed 400 ms).
const BACKLOG_NS: u64 = 400_000_000;
/// The least that a gap is longer than a frame interval to be a freeze.
const FREEZE_NS: u64 = 150_000_000;
/// A step down takes effect before the next one.
const HOLD_NS: u64 = 300_000_000;
/// The longest time with good reports before a step up, as a multiple of the setting.
const MOST_PATIENCE: u64 = 32;
const REPORT_BYTES: u64 = 64;

#[derive(Clone, Debug)]
pub(crate) struct CallConfig {
    pub frame_interval_ns: u64,
    /// In increasing order.
    pub ladder_bps: Vec<u64>,
    pub late_ns: u64,
    pub feedback_interval_ns: u64,
    pub delay_limit_ns: u64,
    pub raise_after_ns: u64,
}

#[derive(Debug)]
pub(crate) struct Call {
    config: CallConfig,
    sender: Encoder,
    receiver: Receiver,
    /// The transport loses frames, and chooses the bitrate.
    is_media: bool,
    /// Frames that the receiver has not read completely.
    on_the_way: VecDeque<Frame>,
    /// Reports that the sender has not read.
    reports: VecDeque<Report>,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Encoder {
    is_established: bool,
    /// Index of the ladder.
    level: usize,
    next_frame_ns: u64,
    written_bytes: u64,
    /// The last change of the bitrate, and the first good report since the last bad one.
    changed_ns: u64,
    good_since_ns: Option<u64>,
    /// The multiple of the setting after which the next step up comes, and whether the last change was one.
    patience: u64,
    has_just_risen: bool,
}

#[derive(Debug, Default)]
struct Receiver {
    next_report_ns: u64,
    reported_bytes: u64,
    least_delay_ns: Option<u64>,
    /// The longest delay since the last report.
    longest_delay_ns: u64,
    shown_ns: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Bytes that the receiver has read when it has read this frame.
    end_bytes: u64,
    encoded_ns: u64,
    is_late: bool,
}

#[derive(Clone, Copy, Debug)]
struct Report {
    /// Bytes that the sender has read when it has read this report.
    end_bytes: u64,
    is_congested: bool,
}

#[derive(Debug, Default)]
struct Counts {
    from_ns: u64,
    encoded: u64,
    /// Skipped by the encoder.
    skipped: u64,
    /// Lost by the network.
    lost: u64,
    late: u64,
    sum_bps: u64,
    switches: u64,
    frozen_ns: u64,
    freezes: u64,
    delays_us: Histogram,
}

impl Call {
    pub fn new(config: CallConfig) -> Self {
        Self {
            config,
            sender: Encoder { patience: 1, ..Encoder::default() },
            receiver: Receiver::default(),
            is_media: false,
            on_the_way: VecDeque::new(),
            reports: VecDeque::new(),
            counts: Counts::default(),
        }
    }

    fn age_ns(&self, now_ns: u64) -> u64 {
        self.on_the_way.front().map_or(0, |frame| now_ns - frame.encoded_ns)
    }

    /// The age of the oldest frame that the encoder still waits for. Over RTP nobody sends a lost frame again, so only
    /// frames that have not left count: else a call of which all frames were lost would be silent for ever.
    fn backlog_ns<T: Transport>(&self, now_ns: u64, sender: &T) -> u64 {
        if !self.is_media {
            return self.age_ns(now_ns);
        }
        let sent_bytes = self.sender.written_bytes - sender.unsent_bytes();
        let waiting = self.on_the_way.iter().find(|frame| frame.end_bytes > sent_bytes);
        waiting.map_or(0, |frame| now_ns - frame.encoded_ns)
    }

    fn encode<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2]) {
        self.sender.next_frame_ns += self.config.frame_interval_ns;
        self.counts.encoded += 1;
        if self.backlog_ns(now_ns, &ends[0]) > BACKLOG_NS {
            self.counts.skipped += 1;
            return;
        }
        let bps = ends[0].media_bps().unwrap_or(self.config.ladder_bps[self.sender.level]);
        let bits = u128::from(bps) * u128::from(self.config.frame_interval_ns) / u128::from(NS_PER_SEC);
        let bytes = ((bits / 8) as u64).max(1);
        self.counts.sum_bps += bps;
        self.sender.written_bytes += bytes;
        let end_bytes = self.sender.written_bytes;
        self.on_the_way.push_back(Frame { end_bytes, encoded_ns: now_ns, is_late: false });
        ends[0].write(now_ns, bytes);
    }

    /// The receiver reads what arrived, and shows it.
    fn show(&mut self, now_ns: u64, delivered_bytes: u64) {
        while let Some(frame) = self.on_the_way.front().copied().filter(|frame| frame.end_bytes <= delivered_bytes) {
            self.on_the_way.pop_front();
            // Over RTP one arrival completes one frame: those before it never were.
            if self.is_media && self.on_the_way.front().is_some_and(|next| next.end_bytes <= delivered_bytes) {
                self.counts.lost += 1;
                continue;
            }
            let delay_ns = now_ns - frame.encoded_ns;
            self.counts.late += u64::from(delay_ns > self.config.late_ns && !frame.is_late);
            self.counts.delays_us.record(u32::try_from(delay_ns / 1000).unwrap_or(u32::MAX));
            self.receiver.longest_delay_ns = self.receiver.longest_delay_ns.max(delay_ns);
            self.receiver.least_delay_ns = Some(self.receiver.least_delay_ns.map_or(delay_ns, |ns| ns.min(delay_ns)));
            let gap_ns = self.frozen_ns(now_ns);
            self.counts.frozen_ns += gap_ns;
            self.counts.freezes += u64::from(gap_ns > 0);
            self.receiver.shown_ns = Some(now_ns);
        }
    }

    /// The time since the last frame that was shown, within the time that counts, if the picture stands still.
    fn frozen_ns(&self, now_ns: u64) -> u64 {
        let interval_ns = self.config.frame_interval_ns;
        let gap_ns = self.receiver.shown_ns.map_or(0, |ns| now_ns - ns.max(self.counts.from_ns));
        if gap_ns >= (3 * interval_ns).max(interval_ns + FREEZE_NS) {
            gap_ns
        } else {
            0
        }
    }

    fn report<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2]) {
        self.receiver.next_report_ns += self.config.feedback_interval_ns;
        let limit_ns = self.receiver.least_delay_ns.unwrap_or(0).saturating_add(self.config.delay_limit_ns);
        let longest_ns = self.receiver.longest_delay_ns.max(self.age_ns(now_ns));
        self.receiver.longest_delay_ns = 0;
        self.receiver.reported_bytes += REPORT_BYTES;
        let end_bytes = self.receiver.reported_bytes;
        let is_congested = self.receiver.least_delay_ns.is_some() && longest_ns > limit_ns;
        self.reports.push_back(Report { end_bytes, is_congested });
        ends[1].write(now_ns, REPORT_BYTES);
    }

    /// The sender adapts to the reports that arrived.
    fn adapt(&mut self, now_ns: u64, delivered_bytes: u64) {
        while let Some(report) = self.reports.front().copied().filter(|report| report.end_bytes <= delivered_bytes) {
            self.reports.pop_front();
            let sender = &mut self.sender;
            let level = if report.is_congested {
                sender.good_since_ns = None;
                let may_step = now_ns - sender.changed_ns >= HOLD_NS;
                sender.level.saturating_sub(usize::from(may_step))
            } else {
                let good_ns = now_ns - *sender.good_since_ns.get_or_insert(now_ns);
                let may_step = good_ns >= self.config.raise_after_ns.saturating_mul(sender.patience);
                (sender.level + usize::from(may_step)).min(self.config.ladder_bps.len() - 1)
            };
            if level != sender.level {
                self.counts.switches += 1;
                let has_failed = level < sender.level && sender.has_just_risen;
                if has_failed {
                    sender.patience = (2 * sender.patience).min(MOST_PATIENCE);
                } else if level > sender.level && sender.has_just_risen {
                    sender.patience = 1; // the step before this one was within the rate of the line
                }
                sender.has_just_risen = level > sender.level;
                (sender.level, sender.changed_ns, sender.good_since_ns) = (level, now_ns, None);
            }
        }
    }

    fn count_from(&mut self, now_ns: u64) {
        for frame in &mut self.on_the_way {
            frame.is_late = now_ns - frame.encoded_ns > self.config.late_ns;
        }
        self.counts = Counts { from_ns: now_ns, ..Counts::default() };
    }

    fn next(&self) -> Next {
        Next::At(self.sender.next_frame_ns.min(self.receiver.next_report_ns))
    }
}

impl<T: Transport> Application<T> for Call {
    fn start(&mut self, _now_ns: u64, _ends: &mut [T; 2]) -> Next {
        Next::Wait
    }

    fn on_time(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        if now_ns >= self.sender.next_frame_ns {
            self.encode(now_ns, ends);
        }
        if now_ns >= self.receiver.next_report_ns {
            self.report(now_ns, ends);
        }
        self.next()
    }

    fn on_progress(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        if !self.sender.is_established {
            if !ends[0].is_established() {
                return Next::Wait;
            }
            self.sender.is_established = true;
            (self.sender.next_frame_ns, self.sender.changed_ns) = (now_ns, now_ns);
            self.is_media = ends[0].media_bps().is_some();
            let interval_ns = if self.is_media { u64::MAX - now_ns } else { self.config.feedback_interval_ns };
            self.receiver.next_report_ns = now_ns + interval_ns;
            return self.on_time(now_ns, ends);
        }
        self.show(now_ns, ends[1].delivered_bytes());
        self.adapt(now_ns, ends[0].delivered_bytes());
        Next::Wait
    }

    fn measure_from(&mut self, now_ns: u64) {
        self.count_from(now_ns);
    }

    fn metrics(&self, now_ns: u64) -> ApplicationMetrics {
        let counts = &self.counts;
        let still_late = |frame: &&Frame| !frame.is_late && now_ns - frame.encoded_ns > self.config.late_ns;
        let frozen_ns = self.frozen_ns(now_ns);
        let written = counts.encoded - counts.skipped;
        let quantile_ms = |share| counts.delays_us.quantile(share).map(|us| us / 1e3);
        ApplicationMetrics {
            call_frames: Some(counts.encoded),
            call_late_frames: Some(counts.late + self.on_the_way.iter().filter(still_late).count() as u64),
            call_lost_frames: Some(counts.skipped + counts.lost),
            call_delay_mean_ms: counts.delays_us.mean().map(|us| us / 1e3),
            call_delay_median_ms: quantile_ms(0.5),
            call_delay_p95_ms: quantile_ms(0.95),
            call_delay_p99_ms: quantile_ms(0.99),
            call_delay_max_ms: counts.delays_us.max().map(|us| f64::from(us) / 1e3),
            call_bitrate_mbps: (written > 0).then(|| counts.sum_bps as f64 / written as f64 / 1e6),
            call_frozen_s: Some((counts.frozen_ns + frozen_ns) as f64 / 1e9),
            call_freezes: Some(counts.freezes + u64::from(frozen_ns > 0)),
            bitrate_switches: Some(counts.switches),
            ..ApplicationMetrics::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn call() -> Call {
        Call::new(CallConfig {
            frame_interval_ns: 40 * MS,
            ladder_bps: vec![100_000, 200_000, 400_000],
            late_ns: 150 * MS,
            feedback_interval_ns: 100 * MS,
            delay_limit_ns: 50 * MS,
            raise_after_ns: 1000 * MS,
        })
    }

    fn with_report(call: &mut Call, now_ns: u64, is_congested: bool) -> usize {
        call.reports.push_back(Report { end_bytes: 0, is_congested });
        call.adapt(now_ns, 0);
        call.sender.level
    }

    #[test]
    fn the_bitrate_rises_after_good_reports_and_falls_at_once() {
        let mut call = call();
        let times = [0, 500, 1000, 1500, 1900, 2000, 2500, 4000, 4100, 4300, 4350, 4700];
        let congested = [false, false, false, false, false, false, false, false, true, true, true, true];
        let levels = [0, 0, 1, 1, 1, 1, 2, 2, 1, 1, 1, 0];
        for ((ms, is_congested), level) in times.into_iter().zip(congested).zip(levels) {
            assert_eq!(with_report(&mut call, ms * MS, is_congested), level, "{ms} ms");
        }
        assert_eq!(call.counts.switches, 4);
    }

    #[test]
    fn a_step_that_congests_the_line_is_tried_less_and_less_often() {
        let mut call = call();
        let mut raised_ms = Vec::new();
        for ms in (0..20_000).step_by(100) {
            let before = call.sender.level;
            let is_above_the_line = before > 0;
            if with_report(&mut call, ms * MS, is_above_the_line) > before {
                raised_ms.push(ms);
            }
        }
        assert_eq!(raised_ms, [1000, 3400, 7800, 16_200]);
    }

    #[test]
    fn a_gap_of_150_ms_more_than_a_frame_interval_is_a_freeze() {
        let mut call = call();
        for (number, ms) in [0, 40, 229, 419].into_iter().enumerate() {
            call.on_the_way.push_back(Frame { end_bytes: number as u64, encoded_ns: 0, is_late: false });
            call.show(ms * MS, number as u64);
        }
        assert_eq!((call.counts.freezes, call.counts.frozen_ns), (1, 190 * MS));
        assert_eq!(call.counts.late, 2);
    }

    #[test]
    fn late_frames_from_the_warm_up_do_not_count() {
        let mut call = call();
        for encoded_ns in [0, 100 * MS] {
            call.on_the_way.push_back(Frame { end_bytes: 0, encoded_ns, is_late: false });
        }
        call.count_from(200 * MS);
        call.show(300 * MS, 0);
        assert_eq!(call.counts.late, 1, "the second, which was in time at the end of the warm-up");
    }
}
