//! A browser: loads a document and then its objects over several connections, pauses, and loads the next page.

use super::exchanges::Exchanges;
use super::{Application, Next};
use crate::sizes::SizeSampler;
use fairlane_contract::ApplicationMetrics;
use fairlane_engine::{Histogram, RandomStream};
use fairlane_transport::{Side, Transport};
use std::cell::RefCell;
use std::rc::Rc;

/// The properties of pages.
#[derive(Debug)]
pub(crate) struct PageConfig {
    /// The largest number of outstanding requests on a connection.
    pub concurrent_requests: u32,
    pub request_bytes: u64,
    pub document_bytes: u64,
    pub objects: u32,
    pub object_sizes: SizeSampler,
    pub parse_ns: u64,
    pub think_ns: u64,
}

/// The connections of a browser, which become the flows from `first_flow` on.
pub(crate) fn browser<T: Transport>(
    config: PageConfig,
    connections: u32,
    first_flow: u32,
    random: RandomStream,
) -> Vec<Box<dyn Application<T>>> {
    let page = Rc::new(RefCell::new(Page {
        config,
        random,
        first_flow,
        connections,
        stage: Stage::Pausing { until_ns: 0 },
        began_ns: 0,
        completed: 0,
        load_times_us: Histogram::default(),
    }));
    let connection = |number| {
        Box::new(Connection { page: page.clone(), is_first: number == 0, exchanges: Exchanges::default() }) as Box<_>
    };
    (0..connections).map(connection).collect()
}

/// The page that the connections of a browser load together.
#[derive(Debug)]
struct Page {
    config: PageConfig,
    random: RandomStream,
    first_flow: u32,
    connections: u32,
    stage: Stage,
    began_ns: u64,
    completed: u64,
    load_times_us: Histogram,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The first connection loads the document.
    Document,
    /// The first connection parses the document.
    Parsing { until_ns: u64 },
    /// All connections load objects.
    Objects { to_request: u32, to_complete: u32 },
    /// The first connection waits for the next page.
    Pausing { until_ns: u64 },
}

impl Page {
    /// The size of the next object, if there is one to request.
    fn next_object_bytes(&mut self) -> Option<u64> {
        match &mut self.stage {
            Stage::Objects { to_request, .. } if *to_request > 0 => {
                *to_request -= 1;
                Some(self.config.object_sizes.draw(&mut self.random))
            }
            _ => None,
        }
    }

    /// The document has arrived.
    fn parse(&mut self, now_ns: u64) -> Next {
        self.stage = Stage::Parsing { until_ns: now_ns + self.config.parse_ns };
        self.wake_first()
    }

    /// Objects have arrived.
    fn complete(&mut self, now_ns: u64, objects: u32) -> Next {
        if let Stage::Objects { to_complete, .. } = &mut self.stage {
            *to_complete -= objects;
            if *to_complete == 0 {
                return self.finish(now_ns);
            }
        }
        Next::Wait
    }

    fn finish(&mut self, now_ns: u64) -> Next {
        let load_us = (now_ns - self.began_ns) / 1000;
        self.load_times_us.record(u32::try_from(load_us).unwrap_or(u32::MAX));
        self.completed += 1;
        self.stage = Stage::Pausing { until_ns: now_ns + self.config.think_ns };
        self.wake_first()
    }

    fn wake_first(&self) -> Next {
        Next::Wake { first: self.first_flow, count: 1 }
    }

    fn wake_others(&self) -> Next {
        Next::Wake { first: self.first_flow + 1, count: self.connections - 1 }
    }
}

/// One connection of a browser.
#[derive(Debug)]
struct Connection {
    page: Rc<RefCell<Page>>,
    is_first: bool,
    exchanges: Exchanges,
}

impl Connection {
    /// Requests objects up to the limit of outstanding requests.
    fn request_objects<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2], page: &mut Page) {
        while self.exchanges.outstanding() < page.config.concurrent_requests as usize {
            let Some(bytes) = page.next_object_bytes() else { return };
            self.exchanges.request(now_ns, ends, page.config.request_bytes, bytes);
        }
    }

    /// The first connection leads the page from one stage to the next.
    fn lead<T: Transport>(&mut self, now_ns: u64, ends: &mut [T; 2], page: &mut Page) -> Next {
        match page.stage {
            Stage::Parsing { until_ns } | Stage::Pausing { until_ns } if now_ns < until_ns => Next::At(until_ns),
            Stage::Pausing { .. } => {
                page.stage = Stage::Document;
                page.began_ns = now_ns;
                self.exchanges.request(now_ns, ends, page.config.request_bytes, page.config.document_bytes);
                Next::Wait
            }
            Stage::Parsing { .. } if page.config.objects == 0 => page.finish(now_ns),
            Stage::Parsing { .. } => {
                let objects = page.config.objects;
                page.stage = Stage::Objects { to_request: objects, to_complete: objects };
                self.request_objects(now_ns, ends, page);
                page.wake_others()
            }
            Stage::Document | Stage::Objects { .. } => Next::Wait,
        }
    }
}

impl<T: Transport> Application<T> for Connection {
    fn opener(&self) -> Side {
        Side::Receiver
    }

    fn waits_for_others(&self) -> bool {
        !self.is_first
    }

    fn start(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        self.on_time(now_ns, ends)
    }

    fn on_time(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        let page = self.page.clone();
        let mut page = page.borrow_mut();
        if self.is_first {
            return self.lead(now_ns, ends, &mut page);
        }
        self.request_objects(now_ns, ends, &mut page);
        Next::Wait
    }

    fn on_progress(&mut self, now_ns: u64, ends: &mut [T; 2]) -> Next {
        let completed = self.exchanges.on_progress(now_ns, ends);
        if completed == 0 {
            return Next::Wait;
        }
        let page = self.page.clone();
        let mut page = page.borrow_mut();
        if let Stage::Document = page.stage {
            return page.parse(now_ns);
        }
        self.request_objects(now_ns, ends, &mut page);
        page.complete(now_ns, completed)
    }

    fn measure_from(&mut self, _now_ns: u64) {
        self.exchanges.measure_anew();
        if self.is_first {
            let mut page = self.page.borrow_mut();
            page.completed = 0;
            page.load_times_us = Histogram::default();
        }
    }

    fn metrics(&self, _now_ns: u64) -> ApplicationMetrics {
        let requests = self.exchanges.metrics();
        if !self.is_first {
            return requests;
        }
        let page = self.page.borrow();
        let quantile_ms = |share| page.load_times_us.quantile(share).map(|us| us / 1e3);
        ApplicationMetrics {
            pages_completed: Some(page.completed),
            page_load_mean_ms: page.load_times_us.mean().map(|us| us / 1e3),
            page_load_median_ms: quantile_ms(0.5),
            page_load_p95_ms: quantile_ms(0.95),
            ..requests
        }
    }
}
