// Offer sandbox: what `aos up` does at a terminal on a machine without one, as `npm start` does.
//
// OFFER-SANDBOX-1  Nothing is installed unless a person at the terminal said yes to the line. Whatever comes
//     of it, the start goes on.

import { offerBubblewrap, type SetupHost } from "./install-bubblewrap.ts";

export async function offerSandbox(host: SetupHost): Promise<void> {
  if (!host.hasTerminal) return; // OFFER-SANDBOX-1
  const outcome = await offerBubblewrap(host);
  if (outcome.kind === "there" || outcome.kind === "not for this system") return;
  if (outcome.kind === "installed")
    return host.say("bubblewrap is installed: the tools of agents run in its sandbox");
  host.say("this machine has no sandbox: agents cannot run programs; everything else works");
  if (outcome.kind === "failed") host.say(outcome.why);
  host.say(
    outcome.kind === "no package manager"
      ? "install bubblewrap with whatever installs programs on this machine"
      : `to install it later: ${outcome.line}`,
  );
}
