import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { becomeDaemon, startDetached } from "../daemon-process.ts";
import { pageAddress } from "../page-address.ts";

const command: Command = async ({ client, options, out, endpoint }) => {
  if (endpoint.remote !== undefined) {
    throw new SysError("ESTATE", `AOS_URL points to a remote daemon: ${endpoint.remote.url}`, {
      hint: "unset AOS_URL to start a daemon of your own",
    });
  }
  const flags = ["http", "log-level", "log-format"].flatMap((name) => {
    const value = options.text(name.replace(/-(.)/, (_, letter: string) => letter.toUpperCase()));
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  if (!options.flag("detach")) becomeDaemon(endpoint, flags);
  const info = await startDetached(endpoint, flags);
  out.note(`the daemon is up (pid ${info.pid}) on ${endpoint.home}`);
  const page = out.format === "text" ? await pageAddress(client) : null;
  if (page !== null) out.note(`dashboard (one login, valid for five minutes): ${page}`);
  await out.data({ ...info, home: endpoint.home }, () => "");
};

export default command;
