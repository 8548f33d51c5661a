import { SysError, type DaemonInfo } from "@aos/protocol/words";
import { askYes } from "../ask-person.ts";
import type { Command, CommandCall } from "../command.ts";
import { isUp } from "../connection.ts";
import { execDaemon, startDetached } from "../daemon-process.ts";
import type { Endpoint } from "../endpoint.ts";
import { findService, startService, type FoundService } from "../service/find-service.ts";
import { pageAddress } from "../page-address.ts";
import { localSetupHost } from "../setup/install-bubblewrap.ts";
import { offerSandbox } from "../setup/offer-sandbox.ts";

const command: Command = async ({ client, options, out, endpoint }) => {
  if (endpoint.remote !== undefined) {
    throw new SysError("ESTATE", `AOS_URL points to a remote daemon: ${endpoint.remote.url}`, {
      hint: "unset AOS_URL to start a daemon of your own",
    });
  }
  const isSystemUp = endpoint.isSystem === true && (await isUp(endpoint));
  if (isSystemUp && !options.flag("detach")) {
    throw new SysError("ESTATE", `the daemon of this machine is up on ${endpoint.socket}`, {
      hint: "use that one, or set AOS_HOME to start one of your own",
    });
  }
  const flags = ["http", "log-level", "log-format"].flatMap((name) => {
    const value = options.text(name.replace(/-(.)/, (_, letter: string) => letter.toUpperCase()));
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  const service = findService(endpoint);
  if (service !== undefined && flags.length > 0)
    throw new SysError("EINVAL", `the daemon of this home is a service: ${service.file}`, {
      hint: "set these in config.yaml, or remove the service: `aos service uninstall`",
    });
  const isToDetach = service === undefined && options.flag("detach");
  if (isSystemUp || (isToDetach && (await isUp(endpoint))))
    return alreadyUp({ client, out }, flags);
  if (endpoint.isSystem && service === undefined)
    throw new SysError("ESTATE", "the daemon of this machine is a service, and it is stopped", {
      hint: "start it as root: `service agent-os start`; or set AOS_HOME to start one of your own",
    });
  if (options.flag("setup")) await offerSandbox(localSetupHost({ say: out.note, ask: askYes }));
  if (service === undefined && !options.flag("detach")) execDaemon(endpoint, flags);
  const info = await (service === undefined
    ? startDetached(endpoint, flags)
    : upByService(service, client, endpoint));
  const home = endpoint.isSystem ? (await client.status()).home : endpoint.home;
  out.note(`the daemon is up (pid ${info.pid}) on ${home}`);
  const page = out.format === "text" ? await pageAddress(client) : null;
  if (page !== null) out.note(`dashboard (one login, valid for five minutes): ${page}`);
  await out.data({ ...info, home }, () => "");
};

export default command;

/** With -d that is what was wanted; other settings than its own it cannot be given. */
async function alreadyUp(
  { client, out }: Pick<CommandCall, "client" | "out">,
  flags: readonly string[],
): Promise<void> {
  const { daemon, socket, url, home } = await client.status();
  if (flags.length > 0)
    throw new SysError(
      "ESTATE",
      `the daemon is up already (pid ${daemon.pid}), without ${flags.join(" ")}`,
      {
        hint: "stop it first: `aos down`",
      },
    );
  out.note(`the daemon is up already (pid ${daemon.pid}) on ${home}`);
  await out.data({ ...daemon, socket, url, home }, () => "");
}

async function upByService(
  service: FoundService,
  client: CommandCall["client"],
  endpoint: Endpoint,
): Promise<DaemonInfo> {
  await startService(service, () => isUp(endpoint));
  const { daemon, socket, url } = await client.status();
  return { ...daemon, socket, url };
}
