// Chromium: the browser of the machine, started in the sandbox.
//
// CHROMIUM-1  The sandbox is the wall, so the browser's own is off (`--no-sandbox`): it would need
//     its own namespaces, which the sandbox does not allow.
// CHROMIUM-2  It sees no file but the system's. Its profile is in a private /tmp that is removed with it.
// CHROMIUM-3  What it does for itself (updates, accounts, time) has no way out: its own proxy is a closed
//     port. Only the context that pages are opened in has the run's proxy.
// CHROMIUM-4  Whatever it speaks TLS with is that proxy, which checks the certificate of the real host.
//     So it does not check the proxy's.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { SysError } from "@aos/protocol";
import type { Mount, SandboxedRun, RunLimits, Sandbox } from "../../sandbox/sandbox.ts";
import type { Proxy } from "../../sandbox/proxy/index.ts";

const MIB = 2 ** 20;
const HOUR_MS = 3_600_000;

const LIMITS: RunLimits = {
  memoryBytes: 1024 * MIB,
  // With threads, of which it has many.
  processes: 1024,
  openFiles: 4096,
  diskBytes: 512 * MIB,
  cpuMs: HOUR_MS,
  wallMs: 8 * HOUR_MS,
};

/** The programs themselves: scripts before them read files that the sandbox does not have. */
const PLACES = [
  "/usr/lib/chromium/chromium",
  "/usr/lib64/chromium-browser/chromium-browser",
  "/usr/lib/chromium-browser/chromium-browser",
  "/opt/google/chrome/chrome",
];

export const VIEWPORT = { width: 1280, height: 800 } as const;

const NOWHERE = "http://127.0.0.1:9";

const FLAGS: readonly string[] = [
  "--headless",
  "--remote-debugging-pipe",
  "--no-startup-window",
  "--user-data-dir=/tmp/profile",
  `--window-size=${VIEWPORT.width},${VIEWPORT.height}`,
  // CHROMIUM-1
  "--no-sandbox",
  "--no-zygote",
  "--disable-gpu",
  // CHROMIUM-3
  `--proxy-server=${NOWHERE}`,
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  `--google-base-url=${NOWHERE}/`,
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-breakpad",
  "--disable-sync",
  "--disable-extensions",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--no-first-run",
  "--no-pings",
  "--password-store=basic",
  // CHROMIUM-4
  "--ignore-certificate-errors",
  // What would go round a proxy.
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,MediaRouter,DialMediaRouteProvider,Translate,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,Prerender2,AutofillServerCommunication",
];

/** Its pipes are 3 and 4; those of a run are 0 and 1. */
const WITH_PIPES = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null';

export const findChromium = (exists: (path: string) => boolean = existsSync): string | undefined =>
  PLACES.find((path) => exists(path));

export function startChromium(sandbox: Sandbox, proxy: Proxy): Promise<SandboxedRun> {
  if (sandbox.report.level === "none")
    throw new SysError(
      "EACCES",
      "a browser runs only in the sandbox, which is disabled (sandbox.level: none)",
    );
  const program = findChromium();
  if (program === undefined)
    throw new SysError("ENOENT", "Chromium is not installed", {
      hint: "`apt install chromium` or `dnf install chromium`",
    });
  const mounts: Mount[] = program.startsWith("/usr/")
    ? []
    : [{ from: dirname(program), mode: "read" }];
  return sandbox.start({
    command: ["/bin/sh", "-c", WITH_PIPES, "sh", program, ...FLAGS],
    name: "browser",
    mounts,
    network: { proxySocket: proxy.socket, authorities: proxy.authorities },
    profile: "tool",
    output: "stream",
    limits: LIMITS,
  });
}
