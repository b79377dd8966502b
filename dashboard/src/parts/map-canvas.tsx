import 'leaflet/dist/leaflet.css';
import { useReducedMotion } from '@mantine/hooks';
import * as leaflet from 'leaflet';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { readMapTiles } from './map-tiles';

export interface Mark {
  latitude: number;
  longitude: number;
  /** What a screen reader says. */
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

interface MapProps {
  label: string;
  marks: readonly Mark[];
  /** Where the map begins: an area's `place`. */
  place: string;
  onMove?: (area: Area) => void;
  /** Called when the mark at this index is pressed. @returns what a bubble at the mark shows; undefined to show none */
  onOpen?: (index: number, map: leaflet.Map) => ReactNode;
  /** Whether the page scrolls over the map. */
  isSmall?: boolean;
}

const ZOOM_MAX = 19;

/** A map of Leaflet. Load it with `lazy`. */
export default function MapCanvas({ label, marks, place, onMove, onOpen, isSmall = false }: MapProps) {
  const element = useRef<HTMLElement>(null);
  const [map, setMap] = useState<leaflet.Map>();
  const [bubble, setBubble] = useState<{ element: HTMLElement; content: ReactNode }>();
  const isStill = useReducedMotion(undefined, { getInitialValueInEffect: false });

  const move = useEffectEvent((moved: leaflet.Map) => onMove?.(areaOf(moved)));
  const create = useEffectEvent((node: HTMLElement) => {
    const created = leaflet.map(node, {
      ...{ minZoom: 1, maxZoom: ZOOM_MAX, worldCopyJump: true, maxBoundsViscosity: 1 },
      ...{ scrollWheelZoom: !isSmall, zoomAnimation: !isStill, fadeAnimation: !isStill },
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
    const [latitude = 0, longitude = 0, zoom = 1] = place.split(',').map(Number);
    created.setView([latitude, longitude], zoom);
    return created;
  });
  useEffect(() => {
    if (element.current === null) return;
    const created = create(element.current);
    setMap(created);
    return () => void created.remove();
  }, []);

  const open = useEffectEvent((index: number, position: leaflet.LatLngTuple, opened: leaflet.Map) => {
    const content = onOpen?.(index, opened);
    if (content === undefined) return;
    const opener = document.activeElement;
    const element = document.createElement('div');
    element.tabIndex = -1;
    const popup = leaflet.popup({ minWidth: 220, maxWidth: 280, autoPanPadding: [16, 16] });
    popup.setLatLng(position).setContent(element).openOn(opened);
    setBubble({ element, content });
    // Leaflet itself moves no focus, and closes a bubble by key only while the map has the focus.
    element.focus({ preventScroll: true });
    element.addEventListener('keydown', ({ key }) => void (key === 'Escape' && popup.close()));
    popup.on('remove', () => {
      // The focus was in the bubble.
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
      setBubble((shown) => (shown?.element === element ? undefined : shown));
    });
  });
  useEffect(() => {
    if (map === undefined) return;
    const layer = leaflet
      .layerGroup(marks.map((mark, index) => toMarker(mark, () => open(index, [mark.latitude, mark.longitude], map))))
      .addTo(map);
    return () => void layer.remove();
  }, [map, marks]);

  return (
    <>
      <section ref={element} className={isSmall ? 'map is-small' : 'map'} aria-label={label} />
      {bubble && createPortal(bubble.content, bubble.element)}
    </>
  );
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

function toMarker({ latitude, longitude, name, text }: Mark, onOpen: () => void): leaflet.Marker {
  const size = text === '' ? 22 : 30 + 6 * text.length;
  const icon = leaflet.divIcon({
    className: text === '' ? 'map-mark is-pin' : 'map-mark',
    html: text,
    iconSize: [size, text === '' ? 22 : 34],
  });
  const marker = leaflet.marker([latitude, longitude], { icon, title: name, riseOnHover: true }).on('click', onOpen);
  marker.on('keydown', ({ originalEvent }) => {
    if (originalEvent.key !== 'Enter' && originalEvent.key !== ' ') return;
    originalEvent.preventDefault();
    onOpen();
  });
  marker.on('add', () => marker.getElement()?.setAttribute('aria-label', name));
  return marker;
}

/** A URL at the end becomes the link of the text. */
function attributionOf(given: string): string {
  const [, text = given, url] = /^(.*\S)\s+(https?:\S+)$/.exec(given) ?? [];
  const element = document.createElement(url === undefined ? 'span' : 'a');
  element.textContent = text;
  if (url !== undefined) element.setAttribute('href', url);
  return element.outerHTML;
}
