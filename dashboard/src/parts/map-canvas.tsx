import 'leaflet/dist/leaflet.css';
import { useReducedMotion } from '@mantine/hooks';
import * as leaflet from 'leaflet';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { readMapTiles } from './map-tiles';

export interface Mark {
  latitude: number;
  longitude: number;
  /** What a screen reader says and the tooltip shows. */
  name: string;
  /** The text of the mark; empty for a pin. */
  text: string;
}

export interface Area {
  /** `west,south,east,north` in degrees. */
  bbox: string;
  zoom: number;
  /** `latitude,longitude,zoom`. */
  place: string;
}

interface Bubble {
  content: ReactNode;
  /** The height in pixels, which must be known before the content is loaded. */
  height: number;
}

interface Shown {
  marker: leaflet.Marker;
  index: number;
}

interface MapProps {
  label: string;
  /** The marks. Two marks must not have the same position and name. */
  marks: readonly Mark[];
  /** What the map shows: an area's `place` or `bbox`. */
  place: string;
  onMove?: (area: Area) => void;
  /** Called when the mark at this index is pressed. @returns the bubble at the mark, if there is one */
  onOpen?: (index: number, map: leaflet.Map) => Bubble | undefined;
  /** Bubbles close when this value changes. */
  scope?: string;
  /** Whether scrolling over the map scrolls the page instead of zooming. */
  isSmall?: boolean;
}

const ZOOM_MAX = 19;
/** The maximum zoom level when the map fits a box, which may contain only a few listings. */
const FITTED_ZOOM_MAX = 12;

/** A Leaflet map. Load this component with `lazy`. */
export default function MapCanvas({ label, marks, place, onMove, onOpen, scope, isSmall = false }: MapProps) {
  const element = useRef<HTMLElement>(null);
  const [map, setMap] = useState<leaflet.Map>();
  const [bubble, setBubble] = useState<Bubble & { element: HTMLElement }>();
  const shownPlace = useRef(place);
  /**
   * The marks on the map by position and name. A mark that does not change keeps its element, which may have
   * the focus.
   */
  const drawn = useRef(new Map<string, Shown>());
  const isStill = useReducedMotion(undefined, { getInitialValueInEffect: false });

  const move = useEffectEvent((moved: leaflet.Map) => {
    const area = areaOf(moved);
    shownPlace.current = area.place;
    onMove?.(area);
  });
  const create = useEffectEvent((node: HTMLElement) => {
    const created = leaflet.map(node, {
      ...{ minZoom: 1, maxZoom: ZOOM_MAX, worldCopyJump: true, maxBoundsViscosity: 1 },
      ...{ scrollWheelZoom: !isSmall, dragging: !(isSmall && leaflet.Browser.mobile), inertia: !isStill },
      // A timer in Leaflet's animations throws an error if the user leaves the page during an animation.
      ...{ zoomAnimation: false, fadeAnimation: false },
      maxBounds: [
        [-90, -540],
        [90, 540],
      ],
    });
    created.attributionControl.setPrefix(false);
    const tiles = readMapTiles();
    if (tiles !== undefined) {
      const attribution = attributionOf(tiles.attribution);
      leaflet.tileLayer(tiles.url, { attribution, maxZoom: ZOOM_MAX, referrerPolicy: 'origin' }).addTo(created);
    }
    created.on('moveend', () => move(created));
    show(created, place);
    return created;
  });
  useEffect(() => {
    if (element.current === null) return;
    const created = create(element.current);
    setMap(created);
    return () => {
      created.off('moveend');
      created.remove();
      drawn.current = new Map();
    };
  }, []);
  useEffect(() => {
    if (map !== undefined && place !== shownPlace.current) show(map, place);
  }, [map, place]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `scope` is only watched.
  useEffect(() => void map?.closePopup(), [map, scope]);

  const open = useEffectEvent((index: number, position: leaflet.LatLng, opened: leaflet.Map) => {
    const opening = onOpen?.(index, opened);
    if (opening === undefined) return;
    const opener = document.activeElement;
    const element = document.createElement('div');
    element.tabIndex = -1;
    element.style.minHeight = `${opening.height}px`;
    const popup = leaflet.popup({ minWidth: 220, maxWidth: 280, autoPanPadding: [16, 16] });
    popup.setLatLng(position).setContent(element).openOn(opened);
    setBubble({ ...opening, element });
    // Leaflet does not move the focus itself, and its Escape key closes a bubble only while the map has the
    // focus.
    element.focus({ preventScroll: true });
    popup.getElement()?.addEventListener('keydown', ({ key }) => void (key === 'Escape' && popup.close()));
    popup.on('remove', () => {
      setBubble((shown) => (shown?.element === element ? undefined : shown));
      // If the focus was in the bubble, return it to the mark. If the map moved to make room for the bubble,
      // the mark may be another element.
      if (document.activeElement !== document.body) return;
      const isThere = opener instanceof HTMLElement && opener.isConnected;
      (isThere ? opener : opened.getContainer()).focus({ preventScroll: true });
    });
  });
  const canOpen = onOpen !== undefined;
  useEffect(() => {
    if (map === undefined) return;
    const center = map.getCenter().lng;
    const shown = new Map<string, Shown>();
    for (const [index, mark] of marks.entries()) {
      // If the view crosses the antimeridian, put the mark on the copy of the world that is in view.
      const longitude = mark.longitude + 360 * Math.round((center - mark.longitude) / 360);
      const key = [mark.latitude, longitude, mark.name].join();
      const before = drawn.current.get(key);
      const { marker } = before ?? { marker: toMarker(mark, longitude, canOpen).addTo(map) };
      if (canOpen && before === undefined)
        onPress(marker, () => open(drawn.current.get(key)?.index ?? index, marker.getLatLng(), map));
      shown.set(key, { marker, index });
    }
    const gone = [...drawn.current].filter(([key]) => !shown.has(key)).map(([, { marker }]) => marker);
    drawn.current = shown;
    const hadFocus = gone.some((marker) => marker.getElement() === document.activeElement);
    for (const marker of gone) marker.remove();
    if (hadFocus) map.getContainer().focus({ preventScroll: true });
  }, [map, marks, canOpen]);

  return (
    <>
      <section ref={element} className={isSmall ? 'map is-small' : 'map'} aria-label={label} />
      {bubble && createPortal(bubble.content, bubble.element)}
    </>
  );
}

function show(map: leaflet.Map, place: string): void {
  const [first = 0, second = 0, third = 1, north] = place.split(',').map(Number);
  if (north === undefined) map.setView([first, second], third, { animate: false });
  else {
    const bounds: leaflet.LatLngBoundsLiteral = [
      [second, first],
      [north, third],
    ];
    map.fitBounds(bounds, { maxZoom: FITTED_ZOOM_MAX, padding: [24, 24], animate: false });
  }
}

function areaOf(map: leaflet.Map): Area {
  const bounds = map.getBounds();
  const [south, north] = [bounds.getSouth(), bounds.getNorth()].map((degrees) => Math.min(90, Math.max(-90, degrees)));
  const isWhole = bounds.getEast() - bounds.getWest() >= 360;
  const [west, east] = isWhole
    ? [-180, 180]
    : [bounds.getWest(), bounds.getEast()].map((degrees) => leaflet.Util.wrapNum(degrees, [-180, 180]));
  const { lat, lng } = map.getCenter().wrap();
  const zoom = map.getZoom();
  const round = (degrees = 0) => Number(degrees.toFixed(5));
  return {
    bbox: [west, south, east, north].map(round).join(),
    zoom,
    place: `${round(lat)},${round(lng)},${zoom}`,
  };
}

function toMarker({ latitude, name, text }: Mark, longitude: number, canOpen: boolean): leaflet.Marker {
  const [width, height] = text === '' ? [22, 22] : [30 + 6 * text.length, 34];
  const icon = leaflet.divIcon({ className: 'map-mark', html: text, iconSize: [width, height] });
  const options = { icon, title: name, riseOnHover: canOpen, interactive: canOpen, keyboard: canOpen };
  const marker = leaflet.marker([latitude, longitude], options);
  marker.on('add', () => {
    marker.getElement()?.setAttribute('aria-label', name);
    if (!canOpen) marker.getElement()?.setAttribute('role', 'img');
  });
  return marker;
}

function onPress(marker: leaflet.Marker, action: () => void): void {
  marker.on('click', action);
  marker.on('keydown', ({ originalEvent }) => {
    if (originalEvent.key !== 'Enter' && originalEvent.key !== ' ') return;
    originalEvent.preventDefault();
    action();
  });
}

/** Formats the attribution as HTML. If it ends with a URL, the text becomes a link to that URL. */
function attributionOf(given: string): string {
  const [, text = given, url] = /^(.*\S)\s+(https?:\S+)$/.exec(given) ?? [];
  const element = document.createElement(url === undefined ? 'span' : 'a');
  element.textContent = text;
  if (url !== undefined) element.setAttribute('href', url);
  return element.outerHTML;
}
