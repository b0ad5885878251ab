# The program: everything but main() is in libtrawl.a, which the tests link.

noinst_LIBRARIES += libtrawl.a
libtrawl_a_SOURCES = \
	src/base/arena.c \
	src/base/arena.h \
	src/base/bytes.c \
	src/base/bytes.h \
	src/base/err.c \
	src/base/err.h \
	src/base/file.c \
	src/base/file.h \
	src/base/lower_bound.h \
	src/base/map.c \
	src/base/map.h \
	src/base/option.c \
	src/base/option.h \
	src/base/option_write.c \
	src/base/regex.c \
	src/base/regex.h \
	src/base/text.c \
	src/base/text.h \
	src/base/thread.c \
	src/base/thread.h \
	src/base/vec.c \
	src/base/vec.h \
	src/capture/capture.h \
	src/capture/foreign.c \
	src/capture/foreign.h \
	src/capture/loss.c \
	src/capture/loss.h \
	src/capture/map.c \
	src/capture/snapshot.c \
	src/capture/snapshot.h \
	src/capture/spool.c \
	src/capture/spool.h \
	src/capture/watch.c \
	src/capture/watch.h \
	src/command/cli.c \
	src/command/cli.h \
	src/command/command.c \
	src/command/command.def \
	src/command/command.h \
	src/command/keymap.c \
	src/command/keymap.h \
	src/command/keys.c \
	src/command/keys.h \
	src/config/builtin.h \
	src/config/files.c \
	src/config/files.h \
	src/config/looks.c \
	src/config/looks.h \
	src/config/profile.c \
	src/config/profile.h \
	src/config/schema.c \
	src/config/schema.h \
	src/config/survey.c \
	src/config/survey.h \
	src/decode/coresight/coresight.c \
	src/decode/coresight/coresight.h \
	src/decode/coresight/itm.c \
	src/decode/coresight/itm.h \
	src/decode/coresight/opencsd.c \
	src/decode/coresight/opencsd.h \
	src/decode/coresight/opencsd_decoder.h \
	src/decode/coresight/opencsd_element.c \
	src/decode/coresight/opencsd_element.h \
	src/decode/coresight/opencsd_expand.c \
	src/decode/coresight/opencsd_lane.c \
	src/decode/coresight/opencsd_lane.h \
	src/decode/coresight/opencsd_library.h \
	src/decode/coresight/opencsd_open.c \
	src/decode/coresight/opencsd_survey.c \
	src/decode/coresight/opencsd_tree.c \
	src/decode/coresight/opencsd_tree.h \
	src/decode/csel/csel.c \
	src/decode/csel/csel.h \
	src/decode/csel/csel_expand.c \
	src/decode/csel/csel_log.h \
	src/decode/decoder.c \
	src/decode/decoder.h \
	src/decode/encap/encap.c \
	src/decode/encap/encap.h \
	src/decode/encap/encap_expand.c \
	src/decode/encap/encap_frame.h \
	src/decode/encap/encap_place.c \
	src/decode/encap/encap_probe.c \
	src/decode/encap/encap_step.c \
	src/decode/encap/etrace.c \
	src/decode/encap/etrace.h \
	src/decode/encap/etrace_data.c \
	src/decode/gem/gem.c \
	src/decode/gem/gem.h \
	src/decode/gem/uia.c \
	src/decode/gem/uia.h \
	src/decode/gem/uia_expand.c \
	src/decode/lines.h \
	src/decode/ppl/ppl.c \
	src/decode/record.c \
	src/decode/record.h \
	src/decode/registry.c \
	src/decode/registry.h \
	src/decode/stp/stp.c \
	src/decode/stp/stp.h \
	src/decode/stp/stp_open.c \
	src/decode/stp/stp_open.h \
	src/decode/syst/syst.c \
	src/decode/syst/syst.h \
	src/decode/syst/syst_collateral.c \
	src/decode/syst/syst_collateral.h \
	src/decode/syst/syst_expand.c \
	src/decode/syst/syst_expand.h \
	src/decode/syst/syst_frame.h \
	src/decode/syst/syst_hex.c \
	src/decode/syst/syst_printf.c \
	src/decode/syst/syst_printf.h \
	src/decode/syst/syst_raw.c \
	src/decode/syst/syst_stp.c \
	src/decode/syst/syst_stp.h \
	src/decode/syst/syst_stp_expand.c \
	src/decode/syst/syst_systprint.c \
	src/decode/undecoded.c \
	src/export/export.c \
	src/export/export.h \
	src/export/export_csv.c \
	src/export/export_ctf.c \
	src/export/export_hex.c \
	src/export/export_jsonl.c \
	src/export/export_perfetto.c \
	src/export/export_pool.c \
	src/export/export_pool.h \
	src/export/export_ppl.c \
	src/export/export_range.c \
	src/export/export_range.h \
	src/export/export_record.c \
	src/export/export_record.h \
	src/export/export_stats.c \
	src/export/export_text.c \
	src/index/grid.c \
	src/index/grid.h \
	src/index/index.c \
	src/index/index.h \
	src/index/saved.c \
	src/index/saved.h \
	src/index/step.c \
	src/index/step.h \
	src/index/tally.c \
	src/index/tally.h \
	src/index/walk.c \
	src/index/walk.h \
	src/program/symbols.h \
	src/query/check.c \
	src/query/check.h \
	src/query/density.c \
	src/query/density.h \
	src/query/filter/filter.c \
	src/query/filter/filter.h \
	src/query/filter/filter_context.c \
	src/query/filter/filter_eval.c \
	src/query/filter/filter_name.c \
	src/query/filter/filter_parse.c \
	src/query/filter/filter_time.c \
	src/query/filter/filter_tree.h \
	src/query/filter/filter_type.c \
	src/query/matches.c \
	src/query/matches.h \
	src/query/origin_names.c \
	src/query/origin_names.h \
	src/query/seek.c \
	src/query/seek.h \
	src/query/silence.c \
	src/query/silence.h \
	src/query/stretch.c \
	src/query/stretch.h \
	src/query/track.c \
	src/query/track.h \
	src/trace/clock_keep.c \
	src/trace/clock_keep.h \
	src/trace/clock_points.c \
	src/trace/clock_points.h \
	src/trace/clock_text.c \
	src/trace/clock_text.h \
	src/trace/clocks.c \
	src/trace/clocks.h \
	src/trace/context.c \
	src/trace/context.h \
	src/trace/context_build.c \
	src/trace/context_build.h \
	src/trace/context_rule.c \
	src/trace/context_rule.h \
	src/trace/context_walk.c \
	src/trace/context_walk.h \
	src/trace/cycles.c \
	src/trace/cycles.h \
	src/trace/cycles_walk.c \
	src/trace/cycles_walk.h \
	src/trace/doubts.c \
	src/trace/doubts.h \
	src/trace/instant.c \
	src/trace/instant.h \
	src/trace/merge.c \
	src/trace/merge.h \
	src/trace/naming.c \
	src/trace/naming.h \
	src/trace/reader.c \
	src/trace/reader.h \
	src/trace/recognise.c \
	src/trace/recognise.h \
	src/trace/relation.c \
	src/trace/relation.h \
	src/trace/serial.c \
	src/trace/serial.h \
	src/trace/trace.c \
	src/trace/trace.h \
	src/ui/app.c \
	src/ui/app.h \
	src/ui/bars.c \
	src/ui/commands.c \
	src/ui/filters.c \
	src/ui/filters.h \
	src/ui/list/hits.c \
	src/ui/list/hits.h \
	src/ui/list/jump.c \
	src/ui/list/jump.h \
	src/ui/list/list.c \
	src/ui/list/list.h \
	src/ui/list/moment.c \
	src/ui/list/moment.h \
	src/ui/list/range.c \
	src/ui/list/range.h \
	src/ui/list/rules.c \
	src/ui/list/rules.h \
	src/ui/list/search.c \
	src/ui/list/search.h \
	src/ui/log.h \
	src/ui/looks.c \
	src/ui/looks.h \
	src/ui/notebook.c \
	src/ui/notebook.h \
	src/ui/pane.c \
	src/ui/pane.h \
	src/ui/panes/lines.c \
	src/ui/panes/lines.h \
	src/ui/panes/pager.c \
	src/ui/panes/pager.h \
	src/ui/panes/pane_clocks.c \
	src/ui/panes/pane_context.c \
	src/ui/panes/pane_context.h \
	src/ui/panes/pane_detail.c \
	src/ui/panes/pane_detail.h \
	src/ui/panes/pane_filters.c \
	src/ui/panes/pane_guesses.c \
	src/ui/panes/pane_help.c \
	src/ui/panes/pane_hex.c \
	src/ui/panes/pane_list.c \
	src/ui/panes/pane_marks.c \
	src/ui/panes/pane_messages.c \
	src/ui/panes/pane_origins.c \
	src/ui/panes/pane_syncs.c \
	src/ui/panes/pane_timeline.c \
	src/ui/panes/pane_timeline.h \
	src/ui/panes/scrollbar.c \
	src/ui/panes/scrollbar.h \
	src/ui/prompt/complete.c \
	src/ui/prompt/complete.h \
	src/ui/prompt/path.c \
	src/ui/prompt/path.h \
	src/ui/prompt/preview.c \
	src/ui/prompt/preview.h \
	src/ui/prompt/prompt.c \
	src/ui/prompt/prompt.h \
	src/ui/prompt/values.c \
	src/ui/prompt/values.h \
	src/ui/screen/canvas.c \
	src/ui/screen/canvas.h \
	src/ui/screen/colour.c \
	src/ui/screen/colour.h \
	src/ui/screen/layout.c \
	src/ui/screen/layout.h \
	src/ui/screen/paint.c \
	src/ui/screen/paint.h \
	src/ui/screen/role.def \
	src/ui/screen/sign.def \
	src/ui/screen/signs.c \
	src/ui/screen/signs.h \
	src/ui/screen/term.c \
	src/ui/screen/term.h \
	src/ui/screen/theme.c \
	src/ui/screen/theme.h \
	src/ui/session.c \
	src/ui/session.h \
	src/ui/settings.c \
	src/ui/settings.h \
	src/ui/ui.h \
	src/ui/view.c \
	src/ui/view.h \
	src/ui/write.c \
	src/ui/write.h

# Each of these libraries is behind one file; without it another stands in.
if OPENCSD
libtrawl_a_SOURCES += src/decode/coresight/opencsd_library.c
else
libtrawl_a_SOURCES += src/decode/coresight/opencsd_none.c
endif
if LIBDW
libtrawl_a_SOURCES += src/program/symbols.c
else
libtrawl_a_SOURCES += src/program/symbols_none.c
endif

nodist_libtrawl_a_SOURCES = src/config/builtin.c

# Shipped views, themes and keys: a new file needs a line here.
builtin_yaml = \
	keys/default.yaml \
	keys/emacs.yaml \
	keys/less.yaml \
	keys/lnav.yaml \
	themes/dark-256.yaml \
	themes/default.yaml \
	themes/high-contrast.yaml \
	themes/light.yaml \
	themes/mono.yaml \
	views/csel.yaml \
	views/default.yaml \
	views/encap.yaml \
	views/gem.yaml \
	views/opencsd.yaml \
	views/ppl.yaml \
	views/syst.yaml \
	views/uia.yaml

src/config/builtin.c: src/config/mkbuiltin.awk $(builtin_yaml)
	$(AM_V_GEN)$(MKDIR_P) src/config && cd "$(srcdir)" && \
	$(AWK) -f src/config/mkbuiltin.awk $(builtin_yaml) </dev/null \
		>"$(abs_builddir)/$@.new" && \
	mv "$(abs_builddir)/$@.new" "$(abs_builddir)/$@"

EXTRA_DIST += src/config/mkbuiltin.awk
CLEANFILES += src/config/builtin.c

bin_PROGRAMS += trawl
trawl_SOURCES = src/main.c
trawl_LDADD = $(trawl_libs)
