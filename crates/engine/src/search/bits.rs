//! A set of skills.

/// A set of skills: a bit for each number.
#[derive(Debug, Clone, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|bits| bits & (1 << (number % 64)) != 0)
    }

    /// In their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let numbers = (0..)
            .step_by(64)
            .zip(&self.0)
            .flat_map(|(first, bits)| (first..first + 64).map(move |number| (number, bits)));
        numbers.filter(|(number, bits)| **bits & (1 << (number % 64)) != 0).map(|(number, _)| number)
    }

    pub(super) fn insert(&mut self, number: u32) {
        let place = number as usize / 64;
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        self.0[place] |= 1 << (number % 64);
    }

    pub(super) fn remove(&mut self, number: u32) {
        if let Some(bits) = self.0.get_mut(number as usize / 64) {
            *bits &= !(1 << (number % 64));
        }
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<T: IntoIterator<Item = u32>>(numbers: T) -> Bits {
        let mut bits = Bits::default();
        numbers.into_iter().for_each(|number| bits.insert(number));
        bits
    }
}
