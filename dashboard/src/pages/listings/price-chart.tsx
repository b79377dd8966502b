import { Group, Text } from '@mantine/core';
import type { HistoryEntry, Listing } from '../../api/admin';
import { formatPrice, formatTime } from '../../lib/format';

interface PriceChartProps {
  listing: Listing;
  /** Newest first. */
  entries: HistoryEntry[];
  /** Whether the entries go back to the creation of the listing. */
  isComplete: boolean;
}

interface Point {
  timeMs: number;
  price: number;
}

const WIDTH = 600;
const HEIGHT = 120;
const PADDING = 10;

/** Shows the list price over time, as steps. Renders nothing if the price has never changed, or was removed. */
export function PriceChart({ listing, entries, isComplete }: PriceChartProps) {
  const points = pricesOf(entries, isComplete ? listing.createdAt : entries.at(-1)?.at);
  if (points.length < 2 || listing.listPrice === undefined) return null;
  const prices = points.map(({ price }) => price);
  const [least, greatest] = [Math.min(...prices), Math.max(...prices)];
  const start = points[0]?.timeMs ?? 0;
  const end = Math.max(Date.now(), start + 1);
  const x = ({ timeMs }: Point) => ((timeMs - start) / (end - start)) * WIDTH;
  const y = ({ price }: Point) => PADDING + (1 - (price - least) / (greatest - least || 1)) * (HEIGHT - 2 * PADDING);
  const steps = points.map((point, index) => `${index === 0 ? `M0 ${y(point)}` : `H${x(point)}V${y(point)}`}`).join('');
  const label = points.map(({ timeMs, price }) => `${formatTime(timeMs)}: ${formatPrice(price, listing.currency)}`);
  return (
    <figure className="price-chart">
      <Group component="figcaption" justify="space-between" gap={12} wrap="nowrap">
        <Text size="sm" fw={600} component="span">
          Price
        </Text>
        <Text size="sm" c="dimmed" component="span">
          {formatPrice(least, listing.currency)} – {formatPrice(greatest, listing.currency)}
        </Text>
      </Group>
      <svg
        width="100%"
        height={110}
        display="block"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Price: ${label.join(', ')}`}
      >
        <path className="area" d={`${steps}H${WIDTH}V${HEIGHT}H0Z`} />
        <path className="line" d={`${steps}H${WIDTH}`} />
      </svg>
      <Group justify="space-between" gap={12} wrap="nowrap" mt={4} c="dimmed" fz={12}>
        <span>{formatTime(start)}</span>
        <span>Today</span>
      </Group>
    </figure>
  );
}

/** Returns the first known price, and the price after each change. */
function pricesOf(entries: HistoryEntry[], begin: string | undefined): Point[] {
  const changes = entries.toReversed().flatMap(({ at, changes: { listPrice } }) => {
    return listPrice !== undefined && 'to' in listPrice ? [{ at, ...listPrice }] : [];
  });
  const points = changes.map(({ at, to }) => ({ timeMs: Date.parse(at), price: to }));
  const first = { timeMs: Date.parse(begin ?? ''), price: changes[0]?.from };
  return [first, ...points].flatMap(({ timeMs, price }) => (typeof price === 'number' ? [{ timeMs, price }] : []));
}
