import { useComputedColorScheme } from '@mantine/core';
import { brand } from '../api/brand.ts';
import icon from '../icon.svg';
import classes from './BrandLogo.module.css';

/** The logo of the brand. The name stands beside it, so that it needs no alternative text. */
export function BrandLogo({ height }: { height: number }) {
  const scheme = useComputedColorScheme('light');
  return <img src={brand.portal.logo?.[scheme] ?? icon} alt="" height={height} className={classes.logo} />;
}
