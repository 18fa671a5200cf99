/** A style sheet that a page's modules import becomes part of the page's style sheet. */
declare module '*.css'
