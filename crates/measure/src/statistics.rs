//! Means and quantiles of samples.

/// None without values.
pub fn mean<T: Into<f64>>(values: impl Iterator<Item = T>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value.into();
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// The quantile `share` (0 to 1) of `sorted`, by linear interpolation; none without values.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_by_hand() {
        let values = [10.0, 20.0, 30.0, 50.0];
        assert_eq!(quantile(&values, 0.0), Some(10.0));
        assert_eq!(quantile(&values, 0.5), Some(25.0));
        assert_eq!(quantile(&values, 1.0), Some(50.0));
        assert_eq!(quantile(&values[..1], 0.9), Some(10.0));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!((mean(values.into_iter()), mean(std::iter::empty::<f64>())), (Some(27.5), None));
    }
}
