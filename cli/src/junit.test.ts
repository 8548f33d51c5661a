import { expect, test } from "vitest";
import { junitText } from "./junit.ts";

const report = {
  file: "/p/a.test.yaml",
  ok: true,
  ms: 1500,
  problems: [],
  calls: 0,
  usd: 0,
  pid: null,
};

test("a report has a suite for each file and a case for each test, with times in seconds", () => {
  const text = junitText(
    [
      { ...report, name: "one" },
      { ...report, name: "two", ok: false, problems: ["it is 1", "it is 2"] },
      { ...report, name: "three", file: "/p/b.test.yaml", ms: 20 },
    ],
    "/p",
  );

  expect(text.split("\n")).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="aos test" tests="3" failures="1" errors="0" skipped="0" time="3.020">',
    '  <testsuite name="a.test.yaml" tests="2" failures="1" errors="0" skipped="0" time="3.000">',
    '    <testcase name="one" classname="a.test.yaml" time="1.500"/>',
    '    <testcase name="two" classname="a.test.yaml" time="1.500">',
    '      <failure message="it is 1">it is 1&#10;it is 2</failure>',
    "    </testcase>",
    "  </testsuite>",
    '  <testsuite name="b.test.yaml" tests="1" failures="0" errors="0" skipped="0" time="0.020">',
    '    <testcase name="three" classname="b.test.yaml" time="0.020"/>',
    "  </testsuite>",
    "</testsuites>",
    "",
  ]);
});

test("whatever an agent said, it is XML", () => {
  const name = `<a b="c" d='e'> & ]]> \u0000\u001b\ud800 \u{1f600}`;
  const text = junitText([{ ...report, name, ok: false, problems: [name] }], "/p");

  expect(text).toContain(
    "&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt; &amp; ]]&gt; \ufffd\ufffd\ufffd \u{1f600}",
  );
  // Nothing is left that is no character of XML 1.0.
  expect(text).not.toMatch(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u);
});
