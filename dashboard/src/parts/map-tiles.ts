/**
 * Reads the settings that the service writes into the page (server/src/http/routes/dashboard.ts). `url` has the
 * placeholders `{z}`, `{x}`, and `{y}`. Returns undefined if the operator has not configured map images.
 */
export function readMapTiles(): { url: string; attribution: string } | undefined {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="map-tiles"]');
  return meta === null ? undefined : { url: meta.content, attribution: meta.dataset.attribution ?? '' };
}
