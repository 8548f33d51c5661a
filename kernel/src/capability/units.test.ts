import { describe, expect, test } from "vitest";
import { CapabilityError } from "./error.ts";
import {
  readDuration,
  readExpiry,
  readPositive,
  readRate,
  readSize,
  readUsd,
  readWhole,
  writeDuration,
  writeExpiry,
  writeRate,
  writeSize,
} from "./units.ts";

describe("every unit is worth what it says", () => {
  test.each<[string, number]>([
    ["1ms", 1],
    ["1s", 1000],
    ["1m", 60_000],
    ["1h", 3_600_000],
    ["1d", 86_400_000],
  ])("time %s", (text, ms) => {
    expect([readDuration(text), writeDuration(ms)]).toEqual([ms, text]);
  });

  test.each<[string, number]>([
    ["1", 1],
    ["999", 999],
    ["1KB", 1000],
    ["1KiB", 1024],
    ["1MB", 1_000_000],
    ["1MiB", 1_048_576],
    ["1GB", 1_000_000_000],
    ["1GiB", 1_073_741_824],
  ])("size %s", (text, bytes) => {
    expect([readSize(text), writeSize(bytes)]).toEqual([bytes, text]);
  });

  test.each<[string, number, string]>([
    ["7/s", 1000, "7/s"],
    ["7/sec", 1000, "7/s"],
    ["7/min", 60_000, "7/min"],
    ["7/m", 60_000, "7/min"],
    ["7/h", 3_600_000, "7/h"],
    ["7/hour", 3_600_000, "7/h"],
    ["7/d", 86_400_000, "7/d"],
    ["7/day", 86_400_000, "7/d"],
  ])("rate %s", (text, perMs, canonical) => {
    expect(readRate(text)).toEqual({ count: 7, perMs });
    expect(writeRate({ count: 7, perMs })).toBe(canonical);
  });
});

test("an amount is written in the largest unit that divides it", () => {
  expect([90_000, 5_400_000, 1500, 172_800_000].map(writeDuration)).toEqual([
    "90s",
    "90m",
    "1500ms",
    "2d",
  ]);
  expect([0, 1025, 2048, 3_000_000].map(writeSize)).toEqual(["0", "1025", "2KiB", "3MB"]);
});

describe("the largest and the smallest that are read, and what is one beyond", () => {
  const good = (read: (text: string) => unknown, text: string, value: unknown) =>
    expect(read(text)).toEqual(value);
  const bad = (read: (text: string) => unknown, text: string, problem: string, at: number) => {
    expect(() => read(text)).toThrow(CapabilityError);
    expect(() => read(text)).toThrow(expect.objectContaining({ problem, at }));
  };

  test("whole numbers have 15 digits, no sign, no zero before them", () => {
    good(readWhole, "999999999999999", 999_999_999_999_999);
    bad(readWhole, "1000000000000000", "number too large", 0);
    good(readWhole, "0", 0);
    bad(readWhole, "00", "number with a leading zero", 0);
    bad(readWhole, "", "expected a whole number", 0);
    bad(readWhole, "12a", "expected a whole number", 2);
    for (const text of ["/", ":", "-1", "+1", "٣"])
      bad(readWhole, text, "expected a whole number", 0);
    good(readPositive, "1", 1);
    bad(readPositive, "0", "must be at least 1", 0);
  });

  test("an amount is exact, or refused", () => {
    good(readDuration, "104249991d", 104_249_991 * 86_400_000);
    bad(readDuration, "104249992d", "number too large", 0);
    good(readSize, "8388607GiB", 8_388_607 * 1_073_741_824);
    bad(readSize, "8388608GiB", "number too large", 0);
    bad(readDuration, "s", "expected a time like 30s (ms, s, m, h, d)", 0);
    bad(readSize, "1kB", "expected bytes, like 10MB", 1);
    bad(readSize, "", "expected a whole number", 0);
  });

  test("rates name a count and a period", () => {
    bad(readRate, "60", "expected a rate like 100/min", 2);
    bad(readRate, "60/", "per s, min, h or d", 3);
    bad(readRate, "/s", "expected a whole number", 0);
    bad(readRate, "60/s/s", "per s, min, h or d", 3);
  });

  test("dollars have 9 digits before the point and 6 after it", () => {
    good(readUsd, "999999999.999999", 999_999_999.999999);
    bad(readUsd, "1000000000", "number too large", 0);
    bad(readUsd, "1.1234567", "more than 6 decimals", 8);
    bad(readUsd, "0.1.", "expected dollars like 0.50", 2);
    bad(readUsd, "0.1.2", "expected dollars like 0.50", 2);
    bad(readUsd, "0.", "expected dollars like 0.50", 2);
    bad(readUsd, "0.1x", "expected dollars like 0.50", 2);
    bad(readUsd, "", "expected a whole number", 0);
  });

  test("milliseconds since 1970 are read from September 2001 to the year 9999", () => {
    const beyond = "expected 10m, a date, or milliseconds since 1970";

    good(readExpiry, "999993600000", { atMs: 999_993_600_000 });
    bad(readExpiry, "999993599999", beyond, 0);
    good(readExpiry, "253402300799999", { atMs: 253_402_300_799_999 });
    bad(readExpiry, "253402300800000", beyond, 0);
  });

  test("a time after something is so long that its end can still be written", () => {
    good(readExpiry, "253402300799999ms", { afterMs: 253_402_300_799_999 });
    bad(readExpiry, "253402300800000ms", "number too large", 0);
    bad(readExpiry, "100000000d", "number too large", 0);
    const latest = { atMs: 2 * 253_402_300_799_999 };
    expect(readExpiry(writeExpiry(latest))).toEqual(latest);
  });

  test("a moment is a day of the calendar, in one spelling and in UTC", () => {
    const moment = "expected a moment like 2027-01-01T00:00:00Z";

    good(readExpiry, "2027-01-01T00:00:00Z", { atMs: 1_798_761_600_000 });
    good(readExpiry, "2027-01-01T00:00:00.001Z", { atMs: 1_798_761_600_001 });
    for (const text of [
      "2027-13-01T00:00:00Z",
      "2027-02-30T00:00:00Z",
      "2027-01-01T00:00:00+00:00",
      "2027-01-01T00:00:00.0Z",
      "2027-01-01T00:00Z",
      "T",
    ])
      bad(readExpiry, text, moment, 0);
  });
});

test("an expiry is written as what it is: a moment, or a time after something", () => {
  expect(writeExpiry({ atMs: 1_798_761_600_001 })).toBe("2027-01-01T00:00:00.001Z");
  expect(writeExpiry({ atMs: 1_798_761_600_000 })).toBe("2027-01-01T00:00:00Z");
  expect(writeExpiry({ afterMs: 60_000 })).toBe("1m");
});
