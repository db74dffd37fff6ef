//! Sorting by a number, with one copy of the algorithm for all types: each of its own would be five to ten kilobytes of the
//! program.

/// The items in the order of their numbers; equal ones stay as they stand.
pub fn by_number<T>(items: Vec<T>, number: impl Fn(&T) -> u64) -> Vec<T> {
    let order = order(items.iter().map(number).collect());
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| items.get_mut(index)?.take()).collect()
}

fn order(numbers: Vec<u64>) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = numbers.into_iter().zip(0..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, index)| index).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn as_a_stable_sort_does_it(items in prop::collection::vec((0..5_u64, any::<u8>()), 0..40)) {
            let mut right = items.clone();
            right.sort_by_key(|(number, _)| *number);
            prop_assert_eq!(by_number(items, |(number, _)| *number), right);
        }
    }
}
