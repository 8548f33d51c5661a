// What is shown instead of a view: there is none at this address, or it failed.

import { Link } from "@tanstack/react-router";
import { Failure } from "../parts/failure.tsx";
import { EmptyState } from "../parts/empty-state.tsx";

export function NotFoundPage() {
  return (
    <EmptyState title="Page not found">
      <Link to="/" className="underline underline-offset-2">
        All runs
      </Link>
    </EmptyState>
  );
}

export function ErrorPage({ error }: { error: unknown }) {
  return (
    <main className="mx-auto max-w-lg px-4 py-24">
      <Failure error={error} again={() => location.reload()} />
    </main>
  );
}
