# `make check`.  Every test speaks TAP: cmocka programs (tests/unit/test_*.c,
# source named as the program), and shell scripts.

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
LOG_COMPILER = $(srcdir)/tests/unit/run_tap
EXTRA_DIST += tests/unit/run_tap
TEST_EXTENSIONS = .sh

# What a test may rely on: it runs in the build folder, finds the sources in
# $srcdir, and inherits nothing of the user's locale, time zone or settings.
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; \
	ASAN_OPTIONS=handle_segv=2:$$ASAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1:$$UBSAN_OPTIONS; \
	LSAN_OPTIONS="suppressions='$(abs_srcdir)/tests/lsan.supp':print_suppressions=0:$$LSAN_OPTIONS"; \
	LC_ALL=C.UTF-8; TZ=UTC; \
	TRAWL="$(abs_builddir)/trawl"; \
	LIVE_PEER="$(abs_builddir)/tests/live_peer"; \
	MKCAPTURE="$(abs_builddir)/tests/mkcapture"; \
	MKITM="$(abs_builddir)/tests/mkitm"; \
	MKOVERLAY="$(abs_builddir)/tests/mkoverlay"; \
	MKRUNS="$(abs_builddir)/tests/mkruns"; \
	MKWHY="$(abs_builddir)/tests/mkwhy"; \
	GENDOC="$(abs_builddir)/man/gendoc"; \
	XDG_CONFIG_HOME="$(abs_builddir)/tests/home"; \
	XDG_CACHE_HOME="$(abs_builddir)/tests/home"; \
	XDG_STATE_HOME="$(abs_builddir)/tests/home"; \
	export CMOCKA_MESSAGE_OUTPUT ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS LC_ALL TZ \
		TRAWL LIVE_PEER MKCAPTURE MKITM MKOVERLAY MKRUNS MKWHY GENDOC XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME srcdir; \
	unset NO_COLOR;

# Makes captures of any size, for tests, benchmarks and people.
check_PROGRAMS += tests/mkcapture
tests_mkcapture_SOURCES = \
	tests/mk_coresight.c \
	tests/mk_coresight.h \
	tests/mk_cpu.c \
	tests/mk_cpu.h \
	tests/mk_csel.c \
	tests/mk_csel.h \
	tests/mk_demo.c \
	tests/mk_demo.h \
	tests/mk_device.c \
	tests/mk_device.h \
	tests/mk_encap.c \
	tests/mk_encap.h \
	tests/mk_gem.c \
	tests/mk_gem.h \
	tests/mk_hub.c \
	tests/mk_hub.h \
	tests/mk_lab.c \
	tests/mk_lab.h \
	tests/mk_mix.c \
	tests/mk_mix.h \
	tests/mk_out.c \
	tests/mk_out.h \
	tests/mk_session.c \
	tests/mk_session.h \
	tests/mk_sink.c \
	tests/mk_sink.h \
	tests/mk_stp.c \
	tests/mk_stp.h \
	tests/mk_swo.c \
	tests/mk_swo.h \
	tests/mk_syst.c \
	tests/mk_syst.h \
	tests/mkcapture.c \
	tests/random.h
tests_mkcapture_CPPFLAGS = $(AM_CPPFLAGS) -DTESTDATA='"$(abs_top_srcdir)/testdata"'
tests_mkcapture_LDADD =

# Sends to live sources.
check_PROGRAMS += tests/live_peer
tests_live_peer_SOURCES = tests/live_peer.c
tests_live_peer_LDADD =

# ITM captures of the encoder that test_itm_random uses.
check_PROGRAMS += tests/mkitm
tests_mkitm_SOURCES = tests/mkitm.c

# Traces of programs with overlays, and the right names.
check_PROGRAMS += tests/mkoverlay
tests_mkoverlay_SOURCES = tests/mkoverlay.c tests/random.h
tests_mkoverlay_LDADD =
# Runs to compare.
check_PROGRAMS += tests/mkruns
tests_mkruns_SOURCES = \
	tests/mk_out.c \
	tests/mk_out.h \
	tests/mk_syst.c \
	tests/mk_syst.h \
	tests/mkruns.c \
	tests/random.h
tests_mkruns_LDADD = -lm
# Logs with a cause for slow pairs.
check_PROGRAMS += tests/mkwhy
tests_mkwhy_SOURCES = tests/mkwhy.c
tests_mkwhy_LDADD =

# What tests share.
check_LIBRARIES = tests/libtest.a
tests_libtest_a_SOURCES = \
	tests/drive.c \
	tests/drive.h \
	tests/random.h \
	tests/unit/encap_tool.c \
	tests/unit/encap_tool.h \
	tests/unit/elf_write.h \
	tests/unit/etrace_encode.c \
	tests/unit/etrace_encode.h \
	tests/unit/folder.h \
	tests/unit/formatter.h \
	tests/unit/perf_write.h \
	tests/unit/itm_encode.c \
	tests/unit/itm_encode.h \
	tests/unit/put_in.h \
	tests/unit/hex.h \
	tests/unit/hostile.h \
	tests/unit/nibbles.h \
	tests/unit/samples.c \
	tests/unit/samples.h \
	tests/unit/program_path.h \
	tests/unit/seven.h \
	tests/unit/same_index.c \
	tests/unit/same_index.h \
	tests/unit/session_fixture.c \
	tests/unit/session_fixture.h \
	tests/unit/sorted.c \
	tests/unit/sorted.h \
	tests/unit/test.h \
	tests/unit/stp_walk.c \
	tests/unit/stp_walk.h \
	tests/unit/temp_file.h \
	tests/unit/toy.c \
	tests/unit/toy.h \
	tests/unit/uia_write.c \
	tests/unit/uia_write.h \
	tests/unit/walk.c \
	tests/unit/walk.h

LDADD = tests/libtest.a $(trawl_libs)
AM_CPPFLAGS += -I$(srcdir)/tests

# What takes or waits longest is started first, so that nothing is left running
# alone at the end: scripts, programs, screens.
long_script_tests = \
	tests/cli/parallel.sh \
	tests/cli/pass.sh \
	tests/cli/plot.sh \
	tests/cli/programs.sh \
	tests/cli/skip.sh \
	tests/cli/follow.sh \
	tests/cli/live.sh \
	tests/term/follow.sh \
	tests/check_configure.sh \
	tests/cli/text.sh \
	tests/cli/zone.sh \
	tests/cli/viewers.sh \
	tests/check_reference.sh \
	tests/cli/input.sh \
	tests/cli/packed.sh \
	tests/cli/spool_limit.sh \
	tests/cli/dumps.sh \
	tests/cli/perf.sh \
	tests/cli/status.sh \
	tests/cli/table.sh \
	tests/cli/stp.sh
TESTS += $(long_script_tests)

# Unit tests, one program per module.
long_unit_tests = \
	tests/unit/test_waiting \
	tests/unit/test_watch \
	tests/unit/test_density \
	tests/unit/test_plot \
	tests/unit/test_context \
	tests/unit/test_overlay \
	tests/unit/test_filter_random \
	tests/unit/test_clock_keep \
	tests/unit/test_opencsd \
	tests/unit/test_cycles \
	tests/unit/test_clocks \
	tests/unit/test_export \
	tests/unit/test_export_range \
	tests/unit/test_account \
	tests/unit/test_arm \
	tests/unit/test_coresight_walk \
	tests/unit/test_next_match
unit_tests = \
	tests/unit/test_base \
	tests/unit/test_zone \
	tests/unit/test_canvas \
	tests/unit/test_capture \
	tests/unit/test_clock_set_back \
	tests/unit/test_complete \
	tests/unit/test_coresight \
	tests/unit/test_csel \
	tests/unit/test_damage \
	tests/unit/test_encap \
	tests/unit/test_etrace \
	tests/unit/test_files \
	tests/unit/test_argument \
	tests/unit/test_nearest \
	tests/unit/test_pairing \
	tests/unit/test_filter \
	tests/unit/test_foreign \
	tests/unit/test_gem \
	tests/unit/test_generation \
	tests/unit/test_grid \
	tests/unit/test_group \
	tests/unit/test_group_numbers \
	tests/unit/test_index \
	tests/unit/test_itm \
	tests/unit/test_keymap \
	tests/unit/test_layers \
	tests/unit/test_list \
	tests/unit/test_literal \
	tests/unit/test_live \
	tests/unit/test_looks \
	tests/unit/test_loss \
	tests/unit/test_matches \
	tests/unit/test_notebook \
	tests/unit/test_opencsd_element \
	tests/unit/test_opencsd_library \
	tests/unit/test_parallel \
	tests/unit/test_build_id \
	tests/unit/test_etrace_contrary \
	tests/unit/test_etrace_programs \
	tests/unit/test_etrace_walk \
	tests/unit/test_call_stack \
	tests/unit/test_flow_clock \
	tests/unit/test_flow_counts \
	tests/unit/test_flow_look \
	tests/unit/test_file \
	tests/unit/test_image \
	tests/unit/test_riscv \
	tests/unit/test_perf \
	tests/unit/test_perf_data \
	tests/unit/test_ppl \
	tests/unit/test_merge \
	tests/unit/test_profile \
	tests/unit/test_reader \
	tests/unit/test_recognise \
	tests/unit/test_saved \
	tests/unit/test_registry \
	tests/unit/test_relation \
	tests/unit/test_schema \
	tests/unit/test_sequence \
	tests/unit/test_compare \
	tests/unit/test_compare_slower \
	tests/unit/test_gap \
	tests/unit/test_lengths \
	tests/unit/test_intervals \
	tests/unit/test_interval_tree \
	tests/unit/test_why \
	tests/unit/test_snapshot \
	tests/unit/test_pieces \
	tests/unit/test_spool_limit \
	tests/unit/test_itm_random \
	tests/unit/test_swo \
	tests/unit/test_step_back \
	tests/unit/test_still \
	tests/unit/test_stp \
	tests/unit/test_symbols \
	tests/unit/test_table \
	tests/unit/test_syst \
	tests/unit/test_syst_collateral \
	tests/unit/test_syst_hex \
	tests/unit/test_syst_printf \
	tests/unit/test_syst_raw \
	tests/unit/test_job \
	tests/unit/test_syst_stp \
	tests/unit/test_serial \
	tests/unit/test_textlog \
	tests/unit/test_theme \
	tests/unit/test_time_probe \
	tests/unit/test_times \
	tests/unit/test_clock_sessions \
	tests/unit/test_uia \
	tests/unit/test_truth \
	tests/unit/test_unpack \
	tests/unit/test_value \
	tests/unit/test_words \
	tests/unit/test_writer

tests_unit_test_capture_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=pthread_mutex_init -Wl,--wrap=pthread_mutex_destroy \
	-Wl,--wrap=pthread_cond_init -Wl,--wrap=pthread_cond_destroy
tests_unit_test_list_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=reader_decoded_cell \
	-Wl,--wrap=index_known -Wl,--wrap=index_cell -Wl,--wrap=index_restore
tests_unit_test_index_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=origin_totals_add
tests_unit_test_reader_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=index_find
tests_unit_test_clock_set_back_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
tests_unit_test_writer_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=write -Wl,--wrap=fsync -Wl,--wrap=rename -Wl,--wrap=linkat
tests_unit_test_complete_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=strcmp
kept_back = \
	tests/mk_out.c \
	tests/mk_out.h \
	tests/mk_stp.c \
	tests/mk_stp.h \
	tests/mk_syst.c \
	tests/mk_syst.h \
	tests/unit/kept_back.c \
	tests/unit/kept_back.h
tests_unit_test_export_range_SOURCES = $(kept_back) tests/unit/test_export_range.c
tests_unit_test_theme_LDADD = $(LDADD) -lm
tests_unit_test_step_back_SOURCES = \
	tests/mk_out.c \
	tests/mk_out.h \
	tests/mk_syst.c \
	tests/mk_syst.h \
	tests/unit/test_step_back.c

tests_unit_test_clock_sessions_SOURCES = \
	tests/mk_out.c \
	tests/mk_out.h \
	tests/mk_stp.c \
	tests/mk_stp.h \
	tests/mk_syst.c \
	tests/mk_syst.h \
	tests/unit/test_clock_sessions.c

tests_unit_test_times_SOURCES = \
	tests/mk_out.c \
	tests/mk_out.h \
	tests/mk_stp.c \
	tests/mk_stp.h \
	tests/mk_syst.c \
	tests/mk_syst.h \
	tests/unit/oracle.c \
	tests/unit/oracle.h \
	tests/unit/oracle_list.c \
	tests/unit/oracle_output.c \
	tests/unit/sent.h \
	tests/unit/sent_formats.c \
	tests/unit/sent_stp.c \
	tests/unit/test_times.c

if HAVE_CMOCKA
check_PROGRAMS += $(long_unit_tests) $(unit_tests)
TESTS += $(long_unit_tests)
LDADD += $(CMOCKA_LIBS)
AM_CPPFLAGS += $(CMOCKA_CFLAGS)
endif

# For `make bench` (tests/bench/README.md), which no test runs.
check_PROGRAMS += tests/bench/index tests/bench/walk
tests_bench_index_LDADD = $(trawl_libs)
tests_bench_walk_LDADD =
EXTRA_DIST += tests/bench/README.md tests/bench/calls tests/bench/guesses \
	tests/bench/house tests/bench/outputs tests/bench/run tests/bench/terminal.py
CLEANFILES += bench.json bench.txt

bench: all tests/mkcapture$(EXEEXT) tests/bench/index$(EXEEXT) tests/bench/walk$(EXEEXT)
	TRAWL="$(abs_builddir)/trawl" TOOLS="$(abs_builddir)/tests" srcdir="$(srcdir)" \
		"$(srcdir)/tests/bench/run"
.PHONY: bench

# Faults put into one module, to see whether tests notice: tests/mutate.
mutate: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=
	@"$(srcdir)/tests/mutate" $(MODULE)
.PHONY: mutate
EXTRA_DIST += tests/mutate tests/reword tests/unit/numbered.yaml

# Programs that were executed, with what they are made of: tests/flow/renew.
EXTRA_DIST += tests/flow

# The firmware of the hub in the demo session: tests/hub/build makes its ELF file.
EXTRA_DIST += tests/hub

# Fuzz targets, tests/fuzz/fuzz_NAME.c, with their seeds in corpus/NAME.  Without
# --enable-fuzz they get a main() that replays files, which is what tests do.
fuzz_targets = \
	tests/fuzz/fuzz_collateral \
	tests/fuzz/fuzz_decode \
	tests/fuzz/fuzz_dump_guess \
	tests/fuzz/fuzz_filter \
	tests/fuzz/fuzz_flow \
	tests/fuzz/fuzz_live \
	tests/fuzz/fuzz_perf \
	tests/fuzz/fuzz_profile \
	tests/fuzz/fuzz_unpack \
	tests/fuzz/fuzz_words

check_PROGRAMS += $(fuzz_targets)
if !FUZZ
tests_libtest_a_SOURCES += tests/fuzz/standalone.c
endif
tests_fuzz_fuzz_collateral_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_decode_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_dump_guess_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS) \
	-Wl,--wrap=capture_bytes -Wl,--wrap=capture_size
tests_fuzz_fuzz_filter_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_flow_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_live_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS) \
	-Wl,--wrap=capture_is_whole -Wl,--wrap=capture_next_break
tests_fuzz_fuzz_perf_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_profile_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_unpack_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
tests_fuzz_fuzz_words_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
EXTRA_DIST += tests/fuzz/corpus

FUZZ_FLAGS = -max_total_time=60
# Windows, blocks and checkpoints of these are of 1 to 64 bytes, and the longest that a
# decoder keeps open or looks ahead for is 1,024 (a line of ITM, a time stamp): a longer input
# adds more of the same.  The two seeds that are longer are cut; `make check` has them whole.
FUZZ_DECODE_FLAGS = -max_len=1536
fuzz: $(fuzz_targets)
if FUZZ
	for target in $(fuzz_targets); do \
		seeds=$(srcdir)/tests/fuzz/corpus/$${target##*fuzz_}; \
		case $$target in \
		*_decode | *_live) flags="$(FUZZ_DECODE_FLAGS)" ;; \
		*) flags= ;; \
		esac; \
		$(MKDIR_P) $$target.found && \
		$$target $$flags $(FUZZ_FLAGS) $$target.found $$seeds || exit; \
	done
	find tests/fuzz/fuzz_decode.found -type f -exec tests/fuzz/fuzz_decode {} + \
		>tests/fuzz/fuzz_decode.log 2>&1 || { cat tests/fuzz/fuzz_decode.log; exit 1; }
else
	@echo "make fuzz: needs a build folder with ./configure CC=clang --enable-fuzz"; exit 1
endif
.PHONY: fuzz

# Tests of the screen, on a terminal emulator.
screen_tests = \
	tests/unit/test_screen_hostile \
	tests/unit/test_screen_origins \
	tests/unit/test_paint \
	tests/unit/test_screen_context \
	tests/unit/test_screen_detail \
	tests/unit/test_screen_files \
	tests/unit/test_screen_filters \
	tests/unit/test_screen_format \
	tests/unit/test_screen_differences \
	tests/unit/test_screen_flow \
	tests/unit/test_screen_programs \
	tests/unit/test_screen_gaps \
	tests/unit/test_screen_intervals \
	tests/unit/test_screen_table \
	tests/unit/test_screen_keys \
	tests/unit/test_screen_list \
	tests/unit/test_screen_live \
	tests/unit/test_screen_matches \
	tests/unit/test_screen_marks \
	tests/unit/test_screen_order \
	tests/unit/test_screen_prompt \
	tests/unit/test_screen_random \
	tests/unit/test_screen_search \
	tests/unit/test_screen_terminal \
	tests/unit/test_screen_timeline \
	tests/unit/test_screen_traces

if HAVE_CMOCKA
if HAVE_VTERM
tests_libtest_a_SOURCES += \
	tests/unit/emulator.c \
	tests/unit/emulator.h \
	tests/unit/scene.c \
	tests/unit/scene.h \
	tests/unit/shares.h \
	tests/unit/truth.c \
	tests/unit/truth.h
tests_unit_test_screen_order_SOURCES = $(kept_back) tests/unit/test_screen_order.c
check_PROGRAMS += $(screen_tests)
TESTS += $(screen_tests)
check_PROGRAMS += tests/bench/lag
LDADD += $(VTERM_LIBS)
AM_CPPFLAGS += $(VTERM_CFLAGS)
endif
TESTS += $(unit_tests)
endif

# Golden decodes: tests/golden/*.txt say what bytes must decode to.
check_PROGRAMS += tests/golden/golden
TESTS += tests/golden/golden
EXTRA_DIST += $(golden_cases)
golden_cases = \
	tests/golden/csel-log.txt \
	tests/golden/encap-bits.txt \
	tests/golden/encap-blocks.txt \
	tests/golden/encap-data.txt \
	tests/golden/encap-examples.txt \
	tests/golden/encap-extend.txt \
	tests/golden/encap-framed.txt \
	tests/golden/encap-nulls.txt \
	tests/golden/encap-slots.txt \
	tests/golden/encap-start.txt \
	tests/golden/encap-straddle.txt \
	tests/golden/encap-types.txt \
	tests/golden/encap-widest.txt \
	tests/golden/encap-widths.txt \
	tests/golden/etrace-data-options.txt \
	tests/golden/etrace-format-0-count.txt \
	tests/golden/etrace-format-0-jump.txt \
	tests/golden/etrace-format-0-reserved.txt \
	tests/golden/etrace-format-0.txt \
	tests/golden/etrace-format-1.txt \
	tests/golden/etrace-format-2.txt \
	tests/golden/etrace-format-3.txt \
	tests/golden/etrace-full-address.txt \
	tests/golden/etrace-pulp.txt \
	tests/golden/etrace-returns.txt \
	tests/golden/etrace-time-context.txt \
	tests/golden/etrace-wide.txt \
	tests/golden/gem-reserved-pairs.txt \
	tests/golden/gem-words.txt \
	tests/golden/hex-around.txt \
	tests/golden/hex-damage.txt \
	tests/golden/hex-lines.txt \
	tests/golden/itm-damage.txt \
	tests/golden/itm-global.txt \
	tests/golden/itm-lines.txt \
	tests/golden/itm-packets.txt \
	tests/golden/itm-text.txt \
	tests/golden/itm-times.txt \
	tests/golden/itm-v8m.txt \
	tests/golden/opencsd-itm.txt \
	tests/golden/opencsd-stm.txt \
	tests/golden/raw-cut.txt \
	tests/golden/raw-locations.txt \
	tests/golden/raw-numbers.txt \
	tests/golden/raw-printf.txt \
	tests/golden/raw-resync.txt \
	tests/golden/raw-short.txt \
	tests/golden/raw-string.txt \
	tests/golden/raw-zeroes.txt \
	tests/golden/stp-async-overlap.txt \
	tests/golden/stp-clocks.txt \
	tests/golden/stp-data-marked.txt \
	tests/golden/stp-data-nowhere.txt \
	tests/golden/stp-data-open.txt \
	tests/golden/stp-data-timed.txt \
	tests/golden/stp-errors.txt \
	tests/golden/stp-events.txt \
	tests/golden/stp-interleaved.txt \
	tests/golden/stp-le22.txt \
	tests/golden/stp-legacy.txt \
	tests/golden/stp-lost.txt \
	tests/golden/stp-plain-sender.txt \
	tests/golden/stp-plain.txt \
	tests/golden/stp-untimed.txt \
	tests/golden/text-console.txt \
	tests/golden/text-damage.txt \
	tests/golden/text-dmesg-tool.txt \
	tests/golden/text-dmesg-wall.txt \
	tests/golden/text-dmesg.txt \
	tests/golden/text-esp-idf-time.txt \
	tests/golden/text-esp-idf.txt \
	tests/golden/text-ftrace.txt \
	tests/golden/text-iso8601.txt \
	tests/golden/text-logcat-brief.txt \
	tests/golden/text-logcat-epoch.txt \
	tests/golden/text-logcat-monotonic.txt \
	tests/golden/text-logcat-time.txt \
	tests/golden/text-logcat-year.txt \
	tests/golden/text-logcat.txt \
	tests/golden/text-optee.txt \
	tests/golden/text-pattern-names.txt \
	tests/golden/text-pattern.txt \
	tests/golden/text-plain.txt \
	tests/golden/text-rfc5424.txt \
	tests/golden/text-syslog-year.txt \
	tests/golden/text-syslog.txt \
	tests/golden/text-tf-a.txt \
	tests/golden/text-xen-date.txt \
	tests/golden/text-xen.txt \
	tests/golden/text-zephyr-date.txt \
	tests/golden/text-zephyr-seconds.txt \
	tests/golden/text-zephyr-ticks.txt \
	tests/golden/text-zephyr.txt \
	tests/golden/tpiu-frames.txt \
	tests/golden/uia-packet.txt

# Scripts.
script_tests = \
	tests/check_formats.sh \
	tests/check_includes.sh \
	tests/check_rings.sh \
	tests/check_style.sh \
	tests/check_man.sh \
	tests/check_testdata.sh \
	tests/check_fuzz.sh \
	tests/check_bootstrap.sh \
	tests/cli/collateral.sh \
	tests/cli/compare.sh \
	tests/cli/baseline.sh \
	tests/cli/completion.sh \
	tests/cli/config.sh \
	tests/cli/case.sh \
	tests/cli/cycles.sh \
	tests/cli/encap.sh \
	tests/cli/examples.sh \
	tests/cli/farm.sh \
	tests/cli/find.sh \
	tests/cli/formats.sh \
	tests/cli/clocks.sh \
	tests/cli/install.sh \
	tests/cli/lab.sh \
	tests/cli/lines.sh \
	tests/cli/typos.sh \
	tests/cli/arguments.sh \
	tests/cli/intervals.sh \
	tests/cli/why.sh \
	tests/cli/loss.sh \
	tests/cli/opencsd.sh \
	tests/cli/itm.sh \
	tests/cli/overlay.sh \
	tests/cli/origins.sh \
	tests/cli/output.sh \
	tests/cli/insn.sh \
	tests/cli/insn_arm.sh \
	tests/cli/raw.sh \
	tests/cli/select.sh \
	tests/cli/session.sh \
	tests/cli/special.sh \
	tests/cli/writer.sh \
	tests/cli/snapshot.sh \
	tests/term/browse.sh \
	tests/term/case.sh \
	tests/term/stream.sh

# Captures of our own making: tests/mkcapture testdata FOLDER.
testdata_files = \
	testdata/all-csel.csel \
	testdata/all-csel.profile.yaml \
	testdata/all-csel.truth.tsv \
	testdata/all-encap.bin \
	testdata/all-encap.profile.yaml \
	testdata/all-encap.truth.tsv \
	testdata/all-gem.bin \
	testdata/all-gem.profile.yaml \
	testdata/all-gem.truth.tsv \
	testdata/all-gem.uia.bin \
	testdata/all-gem.uia.profile.yaml \
	testdata/all-gem.uia.truth.tsv \
	testdata/all-hex.profile.yaml \
	testdata/all-hex.truth.tsv \
	testdata/all-hex.txt \
	testdata/all-itm.itm \
	testdata/all-itm.profile.yaml \
	testdata/all-itm.truth.tsv \
	testdata/all-le22.profile.yaml \
	testdata/all-le22.stp \
	testdata/all-le22.truth.tsv \
	testdata/all-lsn.profile.yaml \
	testdata/all-lsn.stp \
	testdata/all-lsn.truth.tsv \
	testdata/all-msn.profile.yaml \
	testdata/all-msn.stp \
	testdata/all-msn.truth.tsv \
	testdata/all-opencsd/etb.bin \
	testdata/all-opencsd/itm.ini \
	testdata/all-opencsd/snapshot.ini \
	testdata/all-opencsd/stm.ini \
	testdata/all-opencsd/trace.ini \
	testdata/all-opencsd.profile.yaml \
	testdata/all-opencsd.truth.tsv \
	testdata/all-raw.bin \
	testdata/all-raw.profile.yaml \
	testdata/all-raw.truth.tsv \
	testdata/all-tpiu.profile.yaml \
	testdata/all-tpiu.swo \
	testdata/all-tpiu.truth.tsv \
	testdata/bits-encap.bin \
	testdata/bits-encap.profile.yaml \
	testdata/bits-encap.truth.tsv \
	testdata/damaged-csel.csel \
	testdata/damaged-csel.profile.yaml \
	testdata/damaged-csel.truth.tsv \
	testdata/damaged-encap.bin \
	testdata/damaged-encap.profile.yaml \
	testdata/damaged-encap.truth.tsv \
	testdata/damaged-gem.bin \
	testdata/damaged-gem.profile.yaml \
	testdata/damaged-gem.truth.tsv \
	testdata/damaged-hex.profile.yaml \
	testdata/damaged-hex.truth.tsv \
	testdata/damaged-hex.txt \
	testdata/damaged-opencsd/etb.bin \
	testdata/damaged-opencsd/itm.ini \
	testdata/damaged-opencsd/snapshot.ini \
	testdata/damaged-opencsd/stm.ini \
	testdata/damaged-opencsd/trace.ini \
	testdata/damaged-opencsd.profile.yaml \
	testdata/damaged-opencsd.truth.tsv \
	testdata/damaged-raw.bin \
	testdata/damaged-raw.profile.yaml \
	testdata/damaged-raw.truth.tsv \
	testdata/damaged-stp.profile.yaml \
	testdata/damaged-stp.stp \
	testdata/damaged-stp.truth.tsv \
	testdata/damaged-uia.bin \
	testdata/damaged-uia.profile.yaml \
	testdata/damaged-uia.truth.tsv \
	testdata/delta.profile.yaml \
	testdata/delta.stp \
	testdata/delta.truth.tsv \
	testdata/demo.profile.yaml \
	testdata/demo.stp \
	testdata/demo.truth.tsv \
	testdata/demo.xml \
	testdata/gray.profile.yaml \
	testdata/gray.stp \
	testdata/gray.truth.tsv \
	testdata/lab-cam.csel \
	testdata/lab-dsp.gem \
	testdata/lab-dsp.uia \
	testdata/lab-hub.elf \
	testdata/lab-hub.enc \
	testdata/lab-soc.stp \
	testdata/lab.truth.tsv \
	testdata/lab.yaml \
	testdata/len32.bin \
	testdata/len32.profile.yaml \
	testdata/len32.truth.tsv \
	testdata/log-bench.profile.yaml \
	testdata/log-bench.txt \
	testdata/log-dmesg-wall.txt \
	testdata/log-dmesg.txt \
	testdata/log-iso8601.txt \
	testdata/log-logcat.txt \
	testdata/log-rfc5424.txt \
	testdata/log-syslog.txt \
	testdata/log-zephyr.txt \
	testdata/log.yaml \
	testdata/mix.xml \
	testdata/short.bin \
	testdata/short.profile.yaml \
	testdata/short.truth.tsv \
	testdata/untimed-itm.itm \
	testdata/untimed-itm.profile.yaml \
	testdata/untimed-itm.truth.tsv

TESTS += $(script_tests) tests/count_citations
EXTRA_DIST += $(long_script_tests) $(script_tests) tests/count_citations $(testdata_files) tests/lsan.supp tests/examples.awk tests/words tests/rings.awk tests/folded.awk tests/function_times.awk tests/ppl_calls.awk tests/failures tests/summary tests/term/demo.sh tests/term/lib.sh \
	tests/cli/bend_case tests/cli/lib.sh

# Rewrites testdata/; what changes is to be reviewed like code.
testdata: tests/mkcapture$(EXEEXT)
	tests/mkcapture testdata $(srcdir)/testdata
.PHONY: testdata

clean-local:
	rm -rf tests/home mutants
