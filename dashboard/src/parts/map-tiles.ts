/** Where maps get their images. The operator configures this. */
export interface MapTiles {
  /** A URL with the placeholders `{z}`, `{x}`, and `{y}`. */
  url: string;
  attribution: string;
}

/**
 * Reads the settings that the service writes into the page (server/src/http/routes/dashboard.ts). Returns
 * undefined if the operator has not configured map images.
 */
export function readMapTiles(): MapTiles | undefined {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="map-tiles"]');
  return meta === null ? undefined : { url: meta.content, attribution: meta.dataset.attribution ?? '' };
}
