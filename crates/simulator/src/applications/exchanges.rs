//! Requests of the data receiver and responses of the data sender, in order, over one connection.

use fairlane_contract::ApplicationMetrics;
use fairlane_engine::Histogram;
use fairlane_transport::Transport;
use std::collections::VecDeque;

/// The outstanding requests of a connection, and the times that requests took.
#[derive(Debug, Default)]
pub(super) struct Exchanges {
    requested_bytes: u64,
    responded_bytes: u64,
    /// Requests that the server has not read completely.
    unanswered: VecDeque<Request>,
    /// Responses that the client has not read completely.
    incomplete: VecDeque<Response>,
    completed: u64,
    times_us: Histogram,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    /// Bytes that the server has read when it has read this request.
    end_bytes: u64,
    response_bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Response {
    /// Bytes that the client has read when it has read this response.
    end_bytes: u64,
    requested_ns: u64,
}

impl Exchanges {
    /// The client writes a request; the server will answer when it has read it.
    pub fn request<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2], request_bytes: u64, response_bytes: u64) {
        self.requested_bytes += request_bytes;
        self.responded_bytes += response_bytes;
        self.unanswered.push_back(Request { end_bytes: self.requested_bytes, response_bytes });
        self.incomplete.push_back(Response { end_bytes: self.responded_bytes, requested_ns: now_ns });
        ends[1].write(now_ns, request_bytes);
    }

    /// Data arrived: the server answers, the client reads. Returns the number of responses that are now complete.
    pub fn on_progress<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2]) -> u32 {
        let at_server_bytes = ends[0].delivered_bytes();
        while let Some(request) = self.unanswered.front().filter(|request| request.end_bytes <= at_server_bytes) {
            ends[0].write(now_ns, request.response_bytes);
            self.unanswered.pop_front();
        }
        let at_client_bytes = ends[1].delivered_bytes();
        let mut completed = 0;
        while let Some(response) = self.incomplete.front().filter(|response| response.end_bytes <= at_client_bytes) {
            let time_us = (now_ns - response.requested_ns) / 1000;
            self.times_us.record(u32::try_from(time_us).unwrap_or(u32::MAX));
            self.incomplete.pop_front();
            completed += 1;
        }
        self.completed += u64::from(completed);
        completed
    }

    /// The times of outstanding requests count from now on.
    pub fn restart_clocks(&mut self, now_ns: u64) {
        self.incomplete.iter_mut().for_each(|response| response.requested_ns = now_ns);
    }

    pub fn outstanding(&self) -> usize {
        self.incomplete.len()
    }

    /// Metrics count from now on.
    pub fn measure_anew(&mut self) {
        self.completed = 0;
        self.times_us = Histogram::default();
    }

    pub fn metrics(&self) -> ApplicationMetrics {
        let times_us = &self.times_us;
        let quantile_ms = |share| times_us.quantile(share).map(|us| us / 1e3);
        ApplicationMetrics {
            requests_completed: Some(self.completed),
            request_mean_ms: times_us.mean().map(|us| us / 1e3),
            request_median_ms: quantile_ms(0.5),
            request_p95_ms: quantile_ms(0.95),
            request_p99_ms: quantile_ms(0.99),
            request_max_ms: times_us.max().map(|us| f64::from(us) / 1e3),
            ..ApplicationMetrics::default()
        }
    }
}
