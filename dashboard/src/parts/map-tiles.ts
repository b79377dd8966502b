/** The images of maps, which the operator configures. */
export interface MapTiles {
  /** With `{z}`, `{x}`, and `{y}`. */
  url: string;
  attribution: string;
}

/** The service writes them into the page (server/src/http/routes/dashboard.ts); undefined without images. */
export function readMapTiles(): MapTiles | undefined {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="map-tiles"]');
  return meta === null ? undefined : { url: meta.content, attribution: meta.dataset.attribution ?? '' };
}
