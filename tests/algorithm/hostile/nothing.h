/* Empty, for the line marks around it. */
