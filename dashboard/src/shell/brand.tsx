import mark from '../favicon.svg';

export function Brand() {
  return (
    <span className="brand">
      <img src={mark} width={24} height={24} alt="" />
      Property Listings
    </span>
  );
}
