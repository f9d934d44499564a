//! Loads a program, and makes its flows.

use crate::error::LoadError;
use crate::guarded::Guarded;
use crate::image::Image;
use crate::loadable::Loadable;
use crate::loaded::Loaded;
use crate::shield::{Direct, Shielded};
use crate::source::AlgorithmSource;
use fairlane_congestion_control::{Callbacks, CongestionControl, Instance, StateMember};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One algorithm with one set of parameters, loaded. Nothing is shared with any other load.
#[derive(Clone)]
pub struct Program {
    loaded: Arc<Loaded>,
    loadable: Arc<Loadable>,
    /// The copies behind the first one.
    copies: RefCell<Vec<Arc<Loaded>>>,
}

impl Program {
    /// Finds or compiles the algorithm and loads it with these parameters instead of its defaults.
    pub fn load(source: &AlgorithmSource, parameters: &BTreeMap<String, i64>) -> Result<Self, LoadError> {
        Self::load_image(&Image::of(source)?, parameters)
    }

    /// The same for a program that was compiled before.
    pub fn load_image(image: &Image, parameters: &BTreeMap<String, i64>) -> Result<Self, LoadError> {
        Self::load_prepared(&image.prepare(parameters)?)
    }

    /// The same for a program that was prepared before, perhaps by another process.
    pub fn load_prepared(program: &Loadable) -> Result<Self, LoadError> {
        let loaded = Arc::new(Loaded::new(program, Arc::default())?);
        Ok(Self { loaded, loadable: Arc::new(program.clone()), copies: RefCell::default() })
    }

    /// The congestion control of one flow.
    pub fn instantiate(&self) -> Box<dyn CongestionControl> {
        control(self.loaded.clone())
    }

    /// The congestion control of one flow in copy number `copy` of the program.
    pub fn instantiate_in(&self, copy: u32) -> Box<dyn CongestionControl> {
        let Some(behind_first) = (copy as usize).checked_sub(1).filter(|_| self.has_copies()) else {
            return self.instantiate();
        };
        let mut copies = self.copies.borrow_mut();
        while copies.len() <= behind_first {
            // A program that was loaded once can be loaded again, unless there is no memory.
            let loaded = Loaded::new(&self.loadable, self.loaded.divisions.clone());
            copies.push(Arc::new(loaded.unwrap_or_else(|error| panic!("{error}"))));
        }
        control(copies[behind_first].clone())
    }

    /// Flows that share nothing may run on different threads.
    pub fn has_copies(&self) -> bool {
        !self.loaded.shares_memory
    }

    pub fn name(&self) -> &str {
        &self.loaded.algorithm
    }

    /// The name of the chosen `struct tcp_congestion_ops`.
    pub fn table(&self) -> &str {
        &self.loaded.table
    }

    /// The name under which the kernel would register it.
    pub fn kernel_name(&self) -> &str {
        &self.loaded.kernel_name
    }

    /// From now on its flows store the lines that they print.
    pub fn listen(&self) {
        self.loaded.listen();
    }

    /// The members of its own memory, if they are known.
    pub fn state_members(&self) -> &[StateMember] {
        &self.loaded.state_members
    }

    pub fn callbacks(&self) -> Callbacks {
        self.loaded.callbacks
    }

    /// Its flows share variables or maps.
    pub fn shares_memory(&self) -> bool {
        self.loaded.shares_memory
    }
}

fn control(loaded: Arc<Loaded>) -> Box<dyn CongestionControl> {
    if loaded.is_bundled {
        Box::new(Instance::new(Guarded::new(loaded, Direct)))
    } else {
        Box::new(Instance::new(Guarded::new(loaded, Shielded::new())))
    }
}
