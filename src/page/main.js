/* main.js - makes the static page live; actions on wake run in this order */
style.start();
views.start();
tiles.start();
save.start();
scale.start();
hover.start();
legend.start();
explore.start();
heads.start();
picks.start();
transpose.start();
stretch.start();
narrow.start();
tools.start();
table.start();
words.start();
views.watch();
document.documentElement.dataset.live = "yes";
