/** A style sheet that stands in a page's modules goes into the page's one. */
declare module '*.css'
