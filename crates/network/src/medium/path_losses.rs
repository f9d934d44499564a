//! Packets that a link lost, counted by path.

#[derive(Clone, Debug, Default)]
pub(crate) struct PathLosses {
    /// By path, as far as one was needed.
    packets: Vec<u64>,
}

impl PathLosses {
    #[cold]
    pub fn add(&mut self, path: u32) {
        let path = path as usize;
        if path >= self.packets.len() {
            self.packets.resize(path + 1, 0);
        }
        self.packets[path] += 1;
    }

    pub fn of(&self, path: u32) -> u64 {
        self.packets.get(path as usize).copied().unwrap_or(0)
    }
}
