//! A program ready to be loaded, as data from its object file; finding it runs no part of the program.
//!
//! A [`Loadable`] can be sent to another process, which loads it there.

use crate::error::LoadError;
use crate::image::{Image, Table};
use crate::ops::Ops;
use fairlane_congestion_control::{Callback, PerCallback, StateMember};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A program with its parameters set. All addresses are those of the object file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loadable {
    pub algorithm: String,
    /// The chosen `struct tcp_congestion_ops`.
    pub table: String,
    /// The name under which the kernel would register it.
    pub kernel_name: String,
    /// Addresses of the callbacks that the program has.
    pub(crate) callbacks: PerCallback<Option<u64>>,
    /// Bits of `congestion_flag`.
    pub(crate) flags: u8,
    /// cong_control() as before Linux 6.10: (sk, sample).
    pub(crate) short_cong_control: bool,
    pub(crate) runtime: RuntimeAddresses,
    /// Comes with Fairlane, and is trusted to write only permitted members.
    pub(crate) is_bundled: bool,
    /// Has variables that outlive a callback and are not part of a connection.
    pub(crate) shares_memory: bool,
    /// The members of its own memory, if the run is traced.
    pub state_members: Vec<StateMember>,
    /// The object file.
    #[serde(skip)]
    pub object: Vec<u8>,
}

/// The runtime's symbols in every program (algorithms/interface/native/runtime).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct RuntimeAddresses {
    pub current: u64,
    pub allocate: u64,
    pub allocations: u64,
    pub forget_connection: u64,
    pub hz: u64,
    pub listened: u64,
    pub printed: u64,
}

impl Image {
    /// The program with these parameters instead of its defaults. Finds all errors that compilation did not find.
    pub fn prepare(&self, parameters: &BTreeMap<String, i64>) -> Result<Loadable, LoadError> {
        let object = self.with_parameters(parameters)?;
        let (table, callbacks) = self.choose_table()?;
        let bad = |symbol: &str| LoadError::CannotLoad {
            algorithm: self.name().into(),
            reason: format!("no symbol {symbol}"),
        };
        let address = |symbol: &str| self.symbols.get(symbol).copied().ok_or_else(|| bad(symbol));
        Ok(Loadable {
            algorithm: self.name().to_owned(),
            table: table.name.clone(),
            kernel_name: table.ops.name.clone(),
            callbacks,
            flags: table.ops.flags as u8,
            short_cong_control: self.argument_counts.get(&table.ops.callbacks.of(Callback::CongControl)) == Some(&2),
            runtime: RuntimeAddresses {
                current: address("fairlane_current")?,
                allocate: address("fairlane_allocate")?,
                allocations: address("fairlane_allocations")?,
                forget_connection: address("fairlane_forget_connection")?,
                hz: address("CONFIG_HZ")?,
                listened: address("fairlane_listened")?,
                printed: address("fairlane_printed")?,
            },
            is_bundled: self.is_bundled,
            shares_memory: !self.is_bundled && self.has_variables(),
            state_members: Vec::new(),
            object,
        })
    }

    /// The first table that the kernel would accept; otherwise the error in the first table.
    fn choose_table(&self) -> Result<(&Table, PerCallback<Option<u64>>), LoadError> {
        let mut first_error = None;
        for table in self.candidate_tables()? {
            match self.callbacks_of(table) {
                Ok(callbacks) => return Ok((table, callbacks)),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.unwrap_or_else(|| LoadError::NoTable { algorithm: self.name().into() }))
    }

    fn callbacks_of(&self, table: &Table) -> Result<PerCallback<Option<u64>>, LoadError> {
        let ops: &Ops = &table.ops;
        let location = || self.place_of(&[&format!("tcp_congestion_ops {}", table.name)]);
        let named = || table.name.clone();
        if ops.get_info != 0 {
            return Err(LoadError::UnsupportedCallback { location: location(), table: named(), callback: "get_info" });
        }
        let lacks = |callback: Callback| ops.callbacks.of(callback) == 0;
        let mut lacking: Vec<_> = [Callback::Ssthresh, Callback::UndoCwnd]
            .into_iter()
            .filter(|&one| lacks(one))
            .map(Callback::name)
            .collect();
        if lacks(Callback::CongAvoid) && lacks(Callback::CongControl) {
            lacking.push("cong_avoid or cong_control");
        }
        if !lacking.is_empty() {
            return Err(LoadError::MissingCallback { location: location(), table: named(), callbacks: lacking });
        }
        for callback in Callback::ALL.into_iter().filter(|&one| !lacks(one)) {
            let address = ops.callbacks.of(callback);
            let function = self.functions.get(&address).cloned().unwrap_or_default();
            let is_program =
                !function.is_empty() && (self.argument_counts.contains_key(&address) || self.is_raw_program(&function));
            if !is_program {
                return Err(LoadError::NotAProgram { location: location(), callback: callback.name(), function });
            }
        }
        Ok(PerCallback::new(|callback| Some(ops.callbacks.of(callback)).filter(|&address| address != 0)))
    }
}
