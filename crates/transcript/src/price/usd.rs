//! Money as whole numbers, so that sums do not depend on the order.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Femtodollars per dollar.
const PER_DOLLAR: f64 = 1e15;

/// An amount in US dollars, kept as femtodollars.
///
/// The cheapest token costs 5 nanodollars; a femtodollar is small enough that halving, doubling and multiplying any
/// published price stays exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Usd(u128);

impl Usd {
    /// Zero dollars.
    pub const ZERO: Self = Self(0);

    /// Converts from dollars, rounded to the unit; negative numbers and NaN become zero.
    pub fn from_dollars(dollars: f64) -> Self {
        // `as` saturates and turns NaN into 0, which is what is wanted here.
        Self((dollars * PER_DOLLAR).round() as u128)
    }

    /// The amount in dollars.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / PER_DOLLAR
    }

    /// Splits the amount into nanodollars and the remaining femtodollars; each fits a database integer.
    pub fn nanos_and_femtos(self) -> (u64, u64) {
        (u64::try_from(self.0 / 1_000_000).unwrap_or(u64::MAX), (self.0 % 1_000_000) as u64)
    }

    /// The inverse of [`nanos_and_femtos`](Self::nanos_and_femtos), also for sums of its results.
    pub fn from_nanos_and_femtos(nanos: u64, femtos: u64) -> Self {
        Self(u128::from(nanos) * 1_000_000 + u128::from(femtos))
    }

    /// The amount in femtodollars, for tables that keep it exactly.
    pub fn femtodollars(self) -> u128 {
        self.0
    }

    /// An amount of femtodollars.
    pub fn from_femtodollars(units: u128) -> Self {
        Self(units)
    }

    /// The difference in dollars, negative if `other` is larger.
    pub fn minus(self, other: Self) -> f64 {
        if self >= other { Self(self.0 - other.0).dollars() } else { -Self(other.0 - self.0).dollars() }
    }

    /// Multiplies by a count.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(u128::from(count)))
    }

    /// Multiplies by a factor, rounded to the unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        // Factors are small decimals (0.5, 1.25, 6): in millionths they are whole, and the product stays exact.
        let millionths = (factor * 1e6).round() as u128;
        Self(self.0.saturating_mul(millionths).saturating_add(500_000) / 1_000_000)
    }
}

impl Add for Usd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "${:.*}", formatter.precision().unwrap_or(2), self.dollars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_whatever_their_order() {
        let amounts = [0.1, 0.2, 0.3, 1e-9, 5.0].map(Usd::from_dollars);
        let forward: Usd = amounts.into_iter().sum();
        let backward: Usd = amounts.into_iter().rev().sum();
        assert_eq!(forward, backward);
        assert_eq!(forward, Usd(5_600_000_001_000_000));
        assert_eq!(Usd::from_dollars(5e-9).times(3).dollars(), 1.5e-8);
    }

    #[test]
    fn nonsense_is_nothing() {
        for dollars in [-1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(Usd::from_dollars(dollars), Usd::ZERO);
        }
        assert_eq!(Usd::from_dollars(6e-6).scaled(1.25), Usd::from_dollars(7.5e-6));
        assert_eq!(format!("{} {:.4}", Usd::from_dollars(1.5), Usd::from_dollars(0.00015)), "$1.50 $0.0001");
    }
}
