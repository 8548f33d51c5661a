// PageShell: what is around every view: where one is, where one can go, and whether what is shown is live.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { logOut } from "../api/daemon.ts";
import { me, questions } from "../api/queries.ts";
import { PaletteButton } from "../palette/palette.tsx";
import { Connection, LostBanner } from "./connection.tsx";
import { Mark } from "./mark.tsx";
import { navigationGroups, type NavigationEntry } from "./navigation.ts";
import { ThemeSwitch } from "./theme-switch.tsx";

export function PageShell() {
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-20 focus:rounded-md focus:bg-sheet focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-10 flex shrink-0 items-center gap-2 border-b border-line bg-ground px-3 py-2 md:h-dvh md:w-52 md:flex-col md:items-stretch md:gap-4 md:overflow-y-auto md:border-b-0 md:px-3 md:py-4">
        <Link
          to="/"
          aria-label="Agent OS"
          className="flex items-center gap-2.5 rounded-md px-1 md:px-2"
        >
          <Mark />
          <span className="hidden font-semibold tracking-tight md:inline">Agent OS</span>
        </Link>
        <div className="hidden md:block">
          <PaletteButton />
        </div>
        <nav
          aria-label="Views"
          className="flex min-w-0 flex-1 gap-1 overflow-x-auto md:flex-none md:flex-col md:gap-4 md:overflow-visible"
        >
          {navigationGroups.map(({ name, entries }) => (
            <div key={name} className="flex gap-1 md:flex-col md:gap-0.5">
              <span className="hidden px-2 pb-1 text-xs text-faint md:block">{name}</span>
              {entries.map((place) => (
                <NavigationLink key={place.to} place={place} />
              ))}
            </div>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-3 md:mt-auto md:ml-0 md:flex-col md:items-stretch md:gap-3 md:px-2">
          <Connection />
          <div className="hidden md:block">
            <ThemeSwitch />
          </div>
          <div className="hidden md:block">
            <Who />
          </div>
        </div>
      </header>
      <div className="flex min-w-0 flex-1 flex-col md:border-l md:border-line">
        <LostBanner />
        <main id="content" className="mx-auto w-full max-w-6xl flex-1 px-4 py-5 md:px-8 md:py-7">
          <Outlet />
        </main>
        <footer className="flex items-center justify-between gap-4 border-t border-line px-4 py-3 md:hidden">
          <ThemeSwitch />
          <Who />
        </footer>
      </div>
    </div>
  );
}

function NavigationLink({ place }: { place: NavigationEntry }) {
  const { data } = useQuery({ ...questions, enabled: place.counts === "questions" });
  const count = place.counts === "questions" ? (data?.length ?? 0) : 0;
  return (
    <Link
      to={place.to}
      activeOptions={{ exact: place.to === "/", includeSearch: false }}
      className="flex items-center gap-2 rounded-md px-2.5 py-1 font-medium whitespace-nowrap text-soft hover:bg-raised hover:text-ink data-[status=active]:bg-raised data-[status=active]:text-ink md:justify-between md:px-2"
    >
      {place.name}
      {count === 0 ? null : (
        <span
          className="figures min-w-5 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold text-on-accent"
          aria-label={`${count} waiting`}
        >
          {count}
        </span>
      )}
    </Link>
  );
}

function Who() {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  return (
    <div className="flex min-w-0 flex-col gap-1 text-xs text-faint">
      {caller === undefined ? null : (
        <>
          <span className="truncate" title={caller.name}>
            {caller.name}
          </span>
          <span className="flex justify-between gap-3">
            <span>{caller.role}</span>
            <button
              type="button"
              className="underline decoration-line underline-offset-2 hover:text-ink"
              onClick={() => void logOut().then(() => client.resetQueries())}
            >
              Log out
            </button>
          </span>
        </>
      )}
    </div>
  );
}
