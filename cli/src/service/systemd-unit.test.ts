import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ServiceSpec } from "./service-spec.ts";
import { environmentOfPlist, launchdPlist } from "./launchd-plist.ts";
import { environmentOfUnit, systemdUnit } from "./systemd-unit.ts";

const spec: ServiceSpec = {
  scope: "system",
  command: ["/opt/node", "/opt/daemon.mjs"],
  home: "/home/ada/.aos",
  socket: "/home/ada/.aos/aos.sock",
  user: "ada",
};
const path = fc
  .string({ unit: "grapheme-ascii", minLength: 1 })
  .map((text) => `/${text.replaceAll(/[\s\p{Cc}]/gu, " ").trim()}`);

test.each([
  ["systemd", systemdUnit, environmentOfUnit],
  ["launchd", launchdPlist, environmentOfPlist],
])("%s: whatever the paths are, the same are read back", (_name, write, read) => {
  fc.assert(
    fc.property(path, path, (home, socket) => {
      const set = read(write({ ...spec, home, socket }));

      expect(Object.fromEntries(set)).toEqual({ AOS_HOME: home, AOS_SOCKET: socket });
    }),
  );
});

test("SYSTEMD-UNIT-1: specifiers, variables and quotes of a path have no meaning", () => {
  const text = systemdUnit({ ...spec, command: ['/o %h/$HOME "x\\y'] });

  expect(text).toContain('ExecStart="/o %%h/$$HOME \\"x\\\\y"\n');
});

test.each([systemdUnit, launchdPlist])("a line break in a path is refused", (write) => {
  expect(() => write({ ...spec, home: "/home\nExecStartPre=/bin/evil" })).toThrow(/control/);
  expect(() => write({ ...spec, user: "ada\nroot" })).toThrow(/control/);
});

test("only a user other than root loses his capabilities, and only in a service of the machine", () => {
  const bounding = "CapabilityBoundingSet=\n";

  expect(systemdUnit(spec)).toContain(bounding);
  expect(systemdUnit({ ...spec, user: "root" })).not.toContain(bounding);
  expect(systemdUnit({ ...spec, scope: "user" })).not.toContain(bounding);
});

test("a unit of somebody else's is read too", () => {
  const text = "[Service]\nEnvironment=AOS_HOME=/var/lib/aos AOS_SOCKET=/run/aos/aos.sock\n";

  expect(environmentOfUnit(text).get("AOS_SOCKET")).toBe("/run/aos/aos.sock");
});
