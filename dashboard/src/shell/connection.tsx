// Connection: whether what the page shows is what is so now.

import { useQuery } from "@tanstack/react-query";
import { DaemonConnectError } from "../api/daemon.ts";
import { useLive } from "../api/event-stream.ts";
import { status } from "../api/queries.ts";

/** The records come live, or not, and the daemon answers, or not. */
function useConnection(): "live" | "opening" | "lost" {
  const live = useLive();
  const { error } = useQuery(status);
  if (error instanceof DaemonConnectError) return "lost";
  return live === "lost" ? "lost" : live;
}

const words = { live: "Live", opening: "Connecting", lost: "Reconnecting" };
const dots = { live: "bg-good", opening: "bg-faint", lost: "bg-wait" };

export function Connection() {
  const connection = useConnection();
  return (
    <span role="status" className="flex items-center gap-2 text-xs whitespace-nowrap text-soft">
      <span className={`size-2 rounded-full ${dots[connection]}`} aria-hidden="true" />
      {words[connection]}
    </span>
  );
}

export function LostBanner() {
  if (useConnection() !== "lost") return null;
  return (
    <p className="border-b border-line bg-raised px-4 py-2 text-[13px] text-soft md:px-8">
      The daemon does not answer. This page shows its last known state, and reconnects by itself.
    </p>
  );
}
