//! A program ready to be loaded, as data from its object file; finding it runs no part of the program.
//!
//! A [`Loadable`] can be sent to another process, which loads it there.

use crate::error::LoadError;
use crate::image::{Image, Table};
use crate::ops::Ops;
use fairlane_congestion_control::StateMember;
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
    pub(crate) callbacks: CallbackAddresses,
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

/// The callbacks that the program has.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct CallbackAddresses {
    pub ssthresh: u64,
    pub undo_cwnd: u64,
    pub cong_avoid: Option<u64>,
    pub cong_control: Option<u64>,
    pub set_state: Option<u64>,
    pub cwnd_event: Option<u64>,
    pub cwnd_event_tx_start: Option<u64>,
    pub in_ack_event: Option<u64>,
    pub pkts_acked: Option<u64>,
    pub min_tso_segs: Option<u64>,
    pub sndbuf_expand: Option<u64>,
    pub init: Option<u64>,
    pub release: Option<u64>,
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
            short_cong_control: self.argument_counts.get(&table.ops.cong_control) == Some(&2),
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
    fn choose_table(&self) -> Result<(&Table, CallbackAddresses), LoadError> {
        let mut first_error = None;
        for table in self.candidate_tables()? {
            match self.callbacks_of(table) {
                Ok(callbacks) => return Ok((table, callbacks)),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.unwrap_or_else(|| LoadError::NoTable { algorithm: self.name().into() }))
    }

    fn callbacks_of(&self, table: &Table) -> Result<CallbackAddresses, LoadError> {
        let ops: &Ops = &table.ops;
        let location = || self.place_of(&[&format!("tcp_congestion_ops {}", table.name)]);
        let named = || table.name.clone();
        if ops.get_info != 0 {
            return Err(LoadError::UnsupportedCallback { location: location(), table: named(), callback: "get_info" });
        }
        let mut lacking = Vec::new();
        if ops.ssthresh == 0 {
            lacking.push("ssthresh");
        }
        if ops.undo_cwnd == 0 {
            lacking.push("undo_cwnd");
        }
        if ops.cong_avoid == 0 && ops.cong_control == 0 {
            lacking.push("cong_avoid or cong_control");
        }
        let callback = |address: u64, name: &'static str| -> Result<Option<u64>, LoadError> {
            if address == 0 {
                return Ok(None);
            }
            let function = self.functions.get(&address).cloned().unwrap_or_default();
            let is_program =
                !function.is_empty() && (self.argument_counts.contains_key(&address) || self.is_raw_program(&function));
            match is_program {
                true => Ok(Some(address)),
                false => Err(LoadError::NotAProgram { location: location(), callback: name, function }),
            }
        };
        match (callback(ops.ssthresh, "ssthresh")?, callback(ops.undo_cwnd, "undo_cwnd")?) {
            (Some(ssthresh), Some(undo_cwnd)) if lacking.is_empty() => Ok(CallbackAddresses {
                ssthresh,
                undo_cwnd,
                cong_avoid: callback(ops.cong_avoid, "cong_avoid")?,
                cong_control: callback(ops.cong_control, "cong_control")?,
                set_state: callback(ops.set_state, "set_state")?,
                cwnd_event: callback(ops.cwnd_event, "cwnd_event")?,
                cwnd_event_tx_start: callback(ops.cwnd_event_tx_start, "cwnd_event_tx_start")?,
                in_ack_event: callback(ops.in_ack_event, "in_ack_event")?,
                pkts_acked: callback(ops.pkts_acked, "pkts_acked")?,
                min_tso_segs: callback(ops.min_tso_segs, "min_tso_segs")?,
                sndbuf_expand: callback(ops.sndbuf_expand, "sndbuf_expand")?,
                init: callback(ops.init, "init")?,
                release: callback(ops.release, "release")?,
            }),
            _ => Err(LoadError::MissingCallback { location: location(), table: named(), callbacks: lacking }),
        }
    }
}
