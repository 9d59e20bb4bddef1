//! Wall clocks and dates in prose. Without a zone there is no instant.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A twelve-hour or 24-hour time: `7pm`, `12:50am`, `3:05 PM`, `15:09`. A bare number is none.
pub(crate) fn time(hour: &str, minute: Option<&str>, half: Option<&str>) -> Option<Time> {
    let hour: i8 = hour.parse().ok()?;
    let minutes: i8 = minute.map_or(Some(0), |text| text.parse().ok())?;
    let hour = match half.map(str::to_ascii_lowercase).as_deref() {
        Some(half) => {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour % 12 + if half.starts_with('p') { 12 } else { 0 }
        }
        None => {
            minute?;
            hour
        }
    };
    Time::new(hour, minutes, 0, 0).ok()
}

/// A zone by its IANA name (`America/New_York`), `UTC`, or an offset such as `-04:30`. Abbreviations are ambiguous.
pub(crate) fn zone(name: &str) -> Option<TimeZone> {
    if name.eq_ignore_ascii_case("utc") || name == "Z" {
        return Some(TimeZone::UTC);
    }
    if let Some(offset) = offset(name) {
        return Some(TimeZone::fixed(offset));
    }
    let iana = name.contains('/')
        && !name.contains("..")
        && name.split('/').all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()));
    if !iana {
        return None;
    }
    jiff::tz::db().get(name).ok()
}

/// `+02:00`, `-0430`, `UTC+2`; at most 14 hours from UTC.
fn offset(name: &str) -> Option<Offset> {
    let name = name.strip_prefix("UTC").or_else(|| name.strip_prefix("GMT")).unwrap_or(name);
    let (sign, digits) = match name.as_bytes().first()? {
        b'+' => (1, &name[1..]),
        b'-' => (-1, &name[1..]),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 => digits.split_at(2),
        None => (digits, "0"),
    };
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let total = hours * 60 + minutes;
    if hours > 14 || minutes > 59 || total > 14 * 60 {
        return None;
    }
    Offset::from_seconds(sign * total * 60).ok()
}

/// The next moment at which clocks in `zone` show `time`. A time in a gap or an overlap is none.
pub(crate) fn next(time: Time, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
    let local = zone.to_datetime(now);
    let today = local.date();
    let date = if time > local.time() { today } else { today.tomorrow().ok()? };
    instant(date.to_datetime(time), zone)
}

/// The instant of a date and time in a zone; none in a gap or an overlap.
pub(crate) fn instant(local: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_zoned_datetime(local).unambiguous().ok().map(|zoned| zoned.timestamp())
}

/// A date of a month's name, a day, and a year when it is given; without a year the next such day from `now` on.
pub(crate) fn named_date(
    month: &str,
    day: &str,
    year: Option<&str>,
    time: Time,
    zone: &TimeZone,
    now: Timestamp,
) -> Option<Timestamp> {
    let month = month.get(..3)?.to_ascii_lowercase();
    let month = i8::try_from(MONTHS.iter().position(|name| *name == month)?).ok()? + 1;
    let day: i8 = day.parse().ok()?;
    let dated = |year: i16| Date::new(year, month, day).ok().and_then(|date| instant(date.to_datetime(time), zone));
    if let Some(year) = year {
        return dated(year.parse().ok()?);
    }
    let this = zone.to_datetime(now).year();
    dated(this).filter(|instant| *instant > now).or_else(|| dated(this.checked_add(1)?))
}

/// The start of a day in UTC.
pub(crate) fn midnight(year: &str, month: &str, day: &str) -> Option<DateTime> {
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()?;
    Some(date.to_datetime(Time::midnight()))
}
