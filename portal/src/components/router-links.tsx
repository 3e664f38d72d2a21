// Links within the portal; whom one acts for goes along with each.
import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, forwardRef } from 'react';

type Native<P> = P & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof P>;

export const RecordLink = createLink(
  forwardRef<HTMLAnchorElement, Native<AnchorProps>>((props, ref) => <Anchor ref={ref} {...props} />),
);
export const LinkButton = createLink(
  forwardRef<HTMLAnchorElement, Native<ButtonProps>>((props, ref) => <Button component="a" ref={ref} {...props} />),
);
export const LinkItem = createLink(
  forwardRef<HTMLAnchorElement, Native<NavLinkProps>>((props, ref) => <NavLink component="a" ref={ref} {...props} />),
);
