import { expect, test } from "vitest";
import { plainPath } from "./plain-path.ts";

test("a path in its one spelling is taken as it is", () => {
  for (const path of ["/", "/mem/a", "/mem/é", "/skills/x/SKILL.md", "/a..b/.c", "/~"])
    expect(plainPath(path)).toBe(path);
});

test("every other spelling of a path is refused", () => {
  const spellings = ["", "mem/a", "//", "/mem//a", "/mem/a/", "/mem/./a", "/mem/../a", "/mem/.."];
  const hidden = ["/mem/a\u0000", "/mem/\u001f", "/mem/a\u007f", "/mem/e\u0301"];

  for (const path of [...spellings, ...hidden])
    expect(() => plainPath(path), JSON.stringify(path)).toThrow(
      expect.objectContaining({ code: "EINVAL" }),
    );
});
