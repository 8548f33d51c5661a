// What is shown instead of a view: there is none at this address, or it failed.

import { Link } from "@tanstack/react-router";
import { Failure } from "../parts/failure.tsx";
import { Nothing } from "../parts/nothing.tsx";

export function Missing() {
  return (
    <Nothing title="There is no page at this address">
      <Link to="/" className="underline underline-offset-2">
        All runs
      </Link>
    </Nothing>
  );
}

export function Broken({ error }: { error: unknown }) {
  return (
    <main className="mx-auto max-w-lg px-4 py-24">
      <Failure error={error} again={() => location.reload()} />
    </main>
  );
}
