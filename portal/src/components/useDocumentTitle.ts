import { useEffect } from 'react';
import { brand } from '../api/brand.ts';

/** Sets the title of the browser's tab. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${brand.portal.name}`;
  }, [title]);
}
