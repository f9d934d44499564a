//! A video player: downloads segments one at a time, chooses the bitrate of each, and plays from its buffer.
//!
//! Playback begins, or resumes after the buffer was empty, when a segment is complete. A segment is requested when the
//! previous one is complete and the buffer has room for it. The two bitrate algorithms, and the numbers 5 (last segments),
//! 5 s and 10 s, are the baselines of Mao et al. (Neural Adaptive Video Streaming with Pensieve, SIGCOMM 2017, section
//! 5.1).

use super::exchanges::Exchanges;
use super::{Application, Next};
use fairlane_contract::{Adaptation, ApplicationMetrics};
use fairlane_engine::NS_PER_SEC;
use fairlane_transport::{Side, Transport};
use std::collections::VecDeque;

/// The number of segments whose throughput predicts that of the next one.
const REMEMBERED_SEGMENTS: usize = 5;
/// Below this much in the buffer, the lowest bitrate.
const RESERVOIR_NS: u64 = 5 * NS_PER_SEC;
/// From this much above that on, the highest bitrate.
const CUSHION_NS: u64 = 10 * NS_PER_SEC;

#[derive(Clone, Debug)]
pub(crate) struct VideoConfig {
    /// In increasing order.
    pub ladder_bps: Vec<u64>,
    pub segment_ns: u64,
    pub buffer_ns: u64,
    pub adaptation: Adaptation,
    pub request_bytes: u64,
}

#[derive(Debug)]
pub(crate) struct Video {
    config: VideoConfig,
    exchanges: Exchanges,
    /// Bitrate of the latest segment, as an index of the ladder.
    level: usize,
    requested_ns: u64,
    throughputs_bps: VecDeque<f64>,
    playback: Playback,
    opened_ns: u64,
    startup_ns: Option<u64>,
    segments: u64,
    sum_bps: u64,
    switches: u64,
}

impl Video {
    pub fn new(config: VideoConfig) -> Self {
        Self {
            config,
            exchanges: Exchanges::default(),
            level: 0,
            requested_ns: 0,
            throughputs_bps: VecDeque::new(),
            playback: Playback::default(),
            opened_ns: 0,
            startup_ns: None,
            segments: 0,
            sum_bps: 0,
            switches: 0,
        }
    }

    fn segment_bytes(&self) -> u64 {
        let bits = u128::from(self.config.ladder_bps[self.level]) * u128::from(self.config.segment_ns);
        ((bits / (8 * u128::from(NS_PER_SEC))) as u64).max(1)
    }

    fn request<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2]) {
        self.requested_ns = now_ns;
        self.exchanges.request(now_ns, ends, self.config.request_bytes, self.segment_bytes());
    }

    fn on_segment(&mut self, now_ns: u64) {
        let time_ns = (now_ns - self.requested_ns).max(1);
        if self.throughputs_bps.len() == REMEMBERED_SEGMENTS {
            self.throughputs_bps.pop_front();
        }
        self.throughputs_bps.push_back(self.segment_bytes() as f64 * 8e9 / time_ns as f64);
        self.playback.advance(now_ns);
        self.playback.add(self.config.segment_ns);
        self.startup_ns.get_or_insert(now_ns - self.opened_ns);
        self.segments += 1;
        self.sum_bps += self.config.ladder_bps[self.level];
    }

    /// The bitrate of the next segment.
    fn choose(&mut self) {
        let limit_bps = match self.config.adaptation {
            Adaptation::Throughput => {
                let inverses: f64 = self.throughputs_bps.iter().map(|bps| 1.0 / bps).sum();
                self.throughputs_bps.len() as f64 / inverses
            }
            Adaptation::Buffer => {
                let above_ns = self.playback.buffer_ns.saturating_sub(RESERVOIR_NS).min(CUSHION_NS);
                let ladder_bps = &self.config.ladder_bps;
                let (lowest_bps, highest_bps) = (ladder_bps[0] as f64, ladder_bps[ladder_bps.len() - 1] as f64);
                lowest_bps + (highest_bps - lowest_bps) * (above_ns as f64 / CUSHION_NS as f64)
            }
        };
        let level = self.config.ladder_bps.iter().rposition(|&bps| bps as f64 <= limit_bps).unwrap_or(0);
        self.switches += u64::from(level != self.level);
        self.level = level;
    }
}

impl<T: Transport> Application<T> for Video {
    fn opener(&self) -> Side {
        Side::Receiver
    }

    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.opened_ns = now_ns;
        self.playback.at_ns = now_ns;
        self.request(now_ns, ends);
        Next::Wait
    }

    fn on_time(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.playback.advance(now_ns);
        self.choose();
        self.request(now_ns, ends);
        Next::Wait
    }

    fn on_progress(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        if self.exchanges.on_progress(now_ns, ends) == 0 {
            return Next::Wait;
        }
        self.on_segment(now_ns);
        let excess_ns = (self.playback.buffer_ns + self.config.segment_ns).saturating_sub(self.config.buffer_ns);
        Next::At(now_ns + excess_ns)
    }

    fn measure_from(&mut self, now_ns: u64) {
        self.exchanges.measure_anew();
        self.playback.advance(now_ns);
        (self.playback.played_ns, self.playback.stalled_ns, self.playback.stalls) = (0, 0, 0);
        (self.segments, self.sum_bps, self.switches) = (0, 0, 0);
    }

    fn metrics(&self, now_ns: u64) -> ApplicationMetrics {
        let mut playback = self.playback.clone();
        playback.advance(now_ns);
        ApplicationMetrics {
            video_bitrate_mbps: (self.segments > 0).then(|| self.sum_bps as f64 / self.segments as f64 / 1e6),
            bitrate_switches: Some(self.switches),
            startup_s: self.startup_ns.map(|ns| ns as f64 / 1e9),
            played_s: Some(playback.played_ns as f64 / 1e9),
            rebuffering_s: Some(playback.stalled_ns as f64 / 1e9),
            rebuffering_events: Some(playback.stalls),
            ..self.exchanges.metrics()
        }
    }
}

/// Playback and its stalls.
#[derive(Clone, Debug, Default)]
struct Playback {
    at_ns: u64,
    stage: PlaybackStage,
    /// Playing time in the buffer.
    buffer_ns: u64,
    played_ns: u64,
    stalled_ns: u64,
    stalls: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PlaybackStage {
    #[default]
    Starting,
    Playing,
    Stalled,
}

impl Playback {
    /// Plays up to now.
    fn advance(&mut self, now_ns: u64) {
        let elapsed_ns = now_ns - self.at_ns;
        self.at_ns = now_ns;
        if self.stage == PlaybackStage::Starting {
            return;
        }
        let played_ns = elapsed_ns.min(self.buffer_ns);
        self.buffer_ns -= played_ns;
        self.played_ns += played_ns;
        self.stalled_ns += elapsed_ns - played_ns;
        if elapsed_ns > played_ns && self.stage == PlaybackStage::Playing {
            self.stage = PlaybackStage::Stalled;
            self.stalls += 1;
        }
    }

    /// A segment is complete.
    fn add(&mut self, segment_ns: u64) {
        self.buffer_ns += segment_ns;
        self.stage = PlaybackStage::Playing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = NS_PER_SEC;

    #[test]
    fn playback_stalls_when_the_buffer_is_empty() {
        let mut playback = Playback::default();
        playback.advance(3 * S); // no picture yet: no stall
        playback.add(4 * S);
        playback.advance(5 * S);
        assert_eq!((playback.buffer_ns, playback.played_ns, playback.stalls), (2 * S, 2 * S, 0));
        playback.advance(10 * S); // 2 s to play, then 3 s of nothing
        playback.advance(11 * S); // the same stall
        assert_eq!((playback.played_ns, playback.stalled_ns, playback.stalls), (4 * S, 4 * S, 1));
        playback.add(4 * S);
        playback.advance(12 * S);
        assert_eq!((playback.buffer_ns, playback.played_ns, playback.stalled_ns), (3 * S, 5 * S, 4 * S));
    }

    fn video(adaptation: Adaptation) -> Video {
        let ladder_bps = vec![1_000_000, 2_000_000, 4_000_000];
        Video::new(VideoConfig { ladder_bps, segment_ns: 4 * S, buffer_ns: 60 * S, adaptation, request_bytes: 350 })
    }

    #[test]
    fn a_segment_has_the_bytes_of_its_bitrate() {
        assert_eq!(video(Adaptation::Throughput).segment_bytes(), 500_000);
    }

    #[test]
    fn throughput_is_a_harmonic_mean() {
        let mut video = video(Adaptation::Throughput);
        video.throughputs_bps = [1e6, 3e6].into(); // 2 / (1 + 1/3) = 1.5
        video.choose();
        assert_eq!((video.level, video.switches), (0, 0));
        video.throughputs_bps = [2e6, 6e6].into(); // 3
        video.choose();
        assert_eq!((video.level, video.switches), (1, 1));
    }

    #[test]
    fn the_buffer_decides_between_5_and_15_s() {
        let mut video = video(Adaptation::Buffer);
        for (buffer_s, level) in [(0, 0), (5, 0), (8, 0), (9, 1), (14, 1), (15, 2), (60, 2)] {
            video.playback.buffer_ns = buffer_s * S;
            video.choose();
            assert_eq!(video.level, level, "{buffer_s} s");
        }
    }
}
