//! The same work over many items on several threads, results in the order of the items.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many jobs a machine of this size runs by default.
#[must_use]
pub fn default_count() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Applies `work` to every item on at most `jobs` threads. The result never depends on `jobs`.
///
/// A panic in `work` is passed on.
pub fn map<T: Sync, R: Send>(items: &[T], jobs: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let jobs = jobs.clamp(1, 256).min(items.len().max(1));
    if jobs == 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let mut indexed: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs)
            .map(|_| {
                scope.spawn(|| {
                    let mut done = Vec::new();
                    while let Some((index, item)) = take(items, &next) {
                        done.push((index, work(item)));
                    }
                    done
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    indexed.sort_by_key(|(index, _)| *index);
    indexed.into_iter().map(|(_, result)| result).collect()
}

fn take<'items, T>(items: &'items [T], next: &AtomicUsize) -> Option<(usize, &'items T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    items.get(index).map(|item| (index, item))
}

#[cfg(test)]
mod tests {
    #[test]
    fn order_never_depends_on_the_number_of_jobs() {
        let items: Vec<usize> = (0..1_000).collect();
        let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
        for jobs in [0, 1, 2, 8, 2_000] {
            assert_eq!(super::map(&items, jobs, |item| item * 2), expected, "{jobs} jobs");
        }
        assert!(super::map(&Vec::<usize>::new(), 4, |item| *item).is_empty());
    }
}
