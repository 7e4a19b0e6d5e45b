//! Days and civil dates as `java.util.GregorianCalendar` counts them: Julian before 15 October 1582, Gregorian from then on.
//!
//! Everything is UTC. Years are astronomical: year 0 is 1 BC.

use super::logical::MILLIS_PER_DAY;

/// Days from 1970-01-01 back to 0000-03-01 of the Gregorian and of the Julian calendar.
const GREGORIAN_OFFSET: i64 = 719_468;
const JULIAN_OFFSET: i64 = 719_470;
/// 1582-10-15, the first Gregorian day.
const CUTOVER_DAY: i64 = -141_427;
/// The year of the reform.
const REFORM_YEAR: i32 = 1582;

const DAYS_PER_400_YEARS: i64 = 146_097;
const DAYS_PER_4_YEARS: i64 = 1_461;

/// A moment in parts, UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Moment {
    /// Year of its era, so never below 1: Java prints 1 BC as 1.
    pub(crate) year_of_era: i64,
    /// 1 to 12.
    pub(crate) month: i64,
    /// 1 to 31.
    pub(crate) day: i64,
    /// Days after Monday.
    pub(crate) weekday: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    pub(crate) milli: i64,
}

impl Moment {
    /// The parts of milliseconds since 1970-01-01T00:00Z.
    pub(crate) const fn of(millis: i64) -> Self {
        let days = millis.div_euclid(MILLIS_PER_DAY);
        let of_day = millis.rem_euclid(MILLIS_PER_DAY);
        let (year, month, day) = civil(days);
        Self {
            year_of_era: if year > 0 { year } else { 1 - year },
            month,
            day,
            // 1970-01-01 was a Thursday.
            weekday: (days + 3).rem_euclid(7),
            hour: of_day / 3_600_000,
            minute: of_day / 60_000 % 60,
            second: of_day / 1_000 % 60,
            milli: of_day % 1_000,
        }
    }
}

/// Year, month and day of days since 1970-01-01.
pub(crate) const fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March, so that the leap day is the last day of a year.
    let (year, day_of_year) = if days >= CUTOVER_DAY {
        let from = days + GREGORIAN_OFFSET;
        let cycle = from.div_euclid(DAYS_PER_400_YEARS);
        let day = from.rem_euclid(DAYS_PER_400_YEARS);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        (
            cycle * 400 + year,
            day - (365 * year + year / 4 - year / 100),
        )
    } else {
        let from = days + JULIAN_OFFSET;
        let cycle = from.div_euclid(DAYS_PER_4_YEARS);
        let day = from.rem_euclid(DAYS_PER_4_YEARS);
        let year = (day - day / 1_460) / 365;
        (cycle * 4 + year, day - 365 * year)
    };
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    if from_march < 10 {
        (year, from_march + 3, day)
    } else {
        (year + 1, from_march - 9, day)
    }
}

/// Days since 1970-01-01 of a civil date. Month and day may lie outside of their ranges and run over, as in a lenient calendar.
///
/// The year as given chooses the calendar, also where the month runs over into another age.
pub(crate) const fn days(year: i32, month: i32, day: i32) -> i64 {
    let before_reform = year < REFORM_YEAR;
    let months = year as i64 * 12 + month as i64 - 1;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    let (year, from_march) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let day_of_year = (153 * from_march + 2) / 5 + day as i64 - 1;
    let julian_days = 365 * year + year.div_euclid(4) + day_of_year;
    let gregorian = julian_days - year.div_euclid(100) + year.div_euclid(400) - GREGORIAN_OFFSET;
    if !before_reform && gregorian >= CUTOVER_DAY {
        gregorian
    } else {
        julian_days - JULIAN_OFFSET
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(millis: i64) -> (i64, i64, i64) {
        let moment = Moment::of(millis);
        (moment.year_of_era, moment.month, moment.day)
    }

    #[test]
    fn known_days() {
        for (year, month, day, expected) in [
            (1970, 1, 1, 0),
            (2000, 2, 29, 11_016),
            (2019, 8, 23, 18_131),
            (9999, 12, 31, 2_932_896),
            (1582, 10, 15, CUTOVER_DAY),
            (1582, 10, 4, CUTOVER_DAY - 1),
            // The reform left these out; a lenient calendar reads them as Julian.
            (1582, 10, 5, CUTOVER_DAY),
            (1, 1, 1, -719_164),
        ] {
            assert_eq!(days(year, month, day), expected, "{year}-{month}-{day}");
        }
        assert_eq!(days(2019, 13, 45), days(2020, 2, 14));
        assert_eq!(days(2020, 0, 0), days(2019, 11, 30));
        // 22,500 Julian years, although the day lies after the reform.
        assert_eq!(days(1, 270_000, 3), 7_498_932);
    }

    #[test]
    fn days_and_dates_are_inverse_on_both_sides_of_the_reform() {
        for day in (-1_000_000..3_000_000).step_by(97) {
            let (year, month, of_month) = civil(day);
            let [year, month, of_month] =
                [year, month, of_month].map(|part| i32::try_from(part).unwrap());
            assert_eq!(days(year, month, of_month), day);
        }
    }

    #[test]
    fn moments_before_the_epoch_and_before_christ() {
        assert_eq!(date(-1), (1969, 12, 31));
        assert_eq!(Moment::of(-1).milli, 999);
        assert_eq!(Moment::of(0).weekday, 3);
        assert_eq!(date((CUTOVER_DAY - 1) * MILLIS_PER_DAY), (1582, 10, 4));
        assert_eq!(date(-719_165 * MILLIS_PER_DAY), (1, 12, 31));
    }
}
