# What is built, written by tools/sources.py.
set(CORE_SOURCES
  core/alloc.c core/error.c core/pool.c core/random.c core/tensor.c
  angle/angle.c angle/angles.c angle/phase.c angle/point.c angle/recipe.c
  angle/scale.c angle/schedule.c
  positions/augment.c positions/cache.c positions/cape.c
  positions/documents.c positions/effective.c positions/grid.c
  positions/ids_walk.c positions/mask.c positions/mrope.c
  positions/multimodal.c positions/randomized.c positions/sampling.c
  encodings/add.c encodings/alibi.c encodings/axes.c encodings/beit.c
  encodings/biases.c encodings/blocks.c encodings/buckets.c encodings/cape.c
  encodings/carope.c encodings/chunked.c encodings/conformer.c
  encodings/cope.c encodings/cosine.c encodings/crossformer.c
  encodings/dape.c encodings/deberta.c encodings/deberta_rows.c
  encodings/describe.c encodings/dpb.c encodings/dual_chunk.c
  encodings/encoding.c encodings/fire.c encodings/fope.c encodings/formula.c
  encodings/formula_block.c encodings/formula_block_gradient.c
  encodings/formula_check.c encodings/formula_content.c
  encodings/formula_evaluate.c encodings/formula_gradient.c
  encodings/formula_graph.c encodings/formula_laws.c
  encodings/formula_linear.c encodings/formula_names.c
  encodings/formula_operations.c encodings/formula_pairs.c
  encodings/formula_params.c encodings/formula_parse.c
  encodings/formula_print.c encodings/formula_read.c encodings/formula_real.c
  encodings/formula_tables.c encodings/formula_tokens.c
  encodings/formula_trend.c encodings/formula_words.c encodings/fox.c
  encodings/frequencies.c encodings/grape_a.c encodings/grape_m.c
  encodings/graph.c encodings/kerple.c encodings/keys.c encodings/laplacian.c
  encodings/layer_map.c encodings/layers.c encodings/learned.c
  encodings/learned2d.c encodings/length_limit.c encodings/lengths.c
  encodings/longlora.c encodings/mrope.c encodings/music.c
  encodings/near_far.c encodings/nodes.c encodings/none.c
  encodings/parameters.c encodings/params.c encodings/path.c encodings/pope.c
  encodings/pose.c encodings/random_walk.c encodings/randomized.c
  encodings/registry.c encodings/relative.c encodings/repo.c
  encodings/rerope.c encodings/rerotate.c encodings/resize.c
  encodings/resize_weights.c encodings/rope.c encodings/rope2d.c
  encodings/rope3d.c encodings/rope_grid.c encodings/rope_imaginary.c
  encodings/rope_mixed.c encodings/rotate.c encodings/rotate_coords.c
  encodings/rotate_map.c encodings/rotate_ragged.c encodings/rotate_row.c
  encodings/rotate_rows.c encodings/rotated.c encodings/sandwich.c
  encodings/scale_invariant.c encodings/scaling.c encodings/scaling_llama3.c
  encodings/scaling_longrope.c encodings/scaling_mixed_radix.c
  encodings/scaling_ntk.c encodings/scaling_yarn.c encodings/score.c
  encodings/selective_rope.c encodings/selfextend.c encodings/shaw.c
  encodings/similarity.c encodings/sincos2d.c encodings/sincos3d.c
  encodings/sinusoidal.c encodings/sinusoids.c encodings/spec.c
  encodings/spec_names.c encodings/spec_number.c encodings/spec_print.c
  encodings/spec_read.c encodings/ssmax.c encodings/stick_breaking.c
  encodings/streaming.c encodings/sum.c encodings/swin.c encodings/swinv2.c
  encodings/t5.c encodings/table.c encodings/tapa.c encodings/temperature.c
  encodings/transformer_xl.c encodings/urpe.c encodings/vjepa2.c
  encodings/wavlm.c encodings/window.c encodings/xlnet.c encodings/xpos.c
  attention/append.c attention/arena.c attention/arithmetic.c
  attention/attention.c attention/backward.c attention/bf16.c
  attention/bf16_product.c attention/bias.c attention/bias_pwl.c
  attention/bias_table.c attention/content.c attention/content_far.c
  attention/content_gates.c attention/content_maps.c
  attention/content_maps_backward.c attention/content_maps_groups.c
  attention/content_maps_inputs.c attention/content_maps_tiles.c
  attention/content_maps_tokens.c attention/content_plan.c
  attention/content_project.c attention/content_state.c
  attention/content_tables.c attention/content_window.c attention/decode.c
  attention/decode_bf16.c attention/decode_f32.c attention/decode_keys.c
  attention/decode_paged.c attention/decode_rows.c attention/decode_softmax.c
  attention/dense_bias.c attention/dense_gradient.c attention/dense_heads.c
  attention/dense_mask.c attention/f32.c attention/factors.c
  attention/key_order.c attention/leaf_sums.c attention/load.c
  attention/mask.c attention/order.c attention/outputs.c attention/paged.c
  attention/pair_gates.c attention/pairs.c attention/param_gradients.c
  attention/part.c attention/plan.c attention/positions.c
  attention/positions_check.c attention/problem.c attention/product.c
  attention/quant.c attention/quantize.c attention/ragged.c
  attention/ragged_tensors.c attention/real.c attention/rectangle.c
  attention/reference.c attention/relations.c attention/request.c
  attention/request_parts.c attention/rotation.c attention/row_factor.c
  attention/rows.c attention/rows_backward.c attention/rows_content.c
  attention/rows_factors.c attention/rows_far.c attention/rows_forward.c
  attention/rows_gates.c attention/rows_stick.c attention/rows_store.c
  attention/rows_vectors.c attention/schedules.c attention/scores.c
  attention/scratch.c attention/sinks.c attention/softmax.c attention/state.c
  attention/stick.c attention/tables.c attention/tables_layout.c
  attention/tiled.c attention/tiled_backward.c attention/tiled_work.c
  attention/token_angles.c
  kernel/dispatch.c kernel/fixed.c kernel/phase.c kernel/row.c)
set(NETWORK_SOURCES
  nn/adamw.c nn/embedding.c nn/gelu.c nn/linear.c nn/loss.c nn/muon.c
  nn/nn_dispatch.c nn/norm.c
  model/check.c model/heads.c model/heads_weights.c model/input.c
  model/layer.c model/layout.c model/leaves.c model/memory.c model/model.c
  model/pass.c model/sequence.c model/sequence_exchange.c
  model/sequence_heads.c model/share.c)
set(LAB_SOURCES
  files/base64.c files/crc32c.c files/decimal.c files/dense.c
  files/document.c files/gguf.c files/gguf_cursor.c files/gguf_value.c
  files/gguf_write.c files/gzip.c files/hash.c files/html.c files/io.c
  files/json.c files/map.c files/npy.c files/npy_header.c files/npy_write.c
  files/number.c files/number_store.c files/output.c files/sha256.c
  files/shared.c files/source.c files/tensors.c files/tensors_entry.c
  files/tensors_header.c files/tensors_text.c files/tensors_write.c
  files/utf8.c
  group/build.c group/greeting.c group/group.c
  graph/check.c graph/eigenspace.c graph/graph.c graph/lapack.c
  graph/laplacian.c graph/walk.c
  families/check_dialect.c families/check_find.c families/check_gguf.c
  families/check_keys.c families/check_kinds.c families/check_layers.c
  families/check_lengths.c families/check_llama3.c families/check_longrope.c
  families/check_model.c families/check_pairing.c families/check_pairs.c
  families/check_params.c families/check_public.c families/check_report.c
  families/check_rows.c families/check_scores.c families/check_sections.c
  families/check_tensors.c families/check_values.c families/check_view.c
  families/check_whole.c families/check_widths.c families/check_windows.c
  families/check_write.c families/check_yarn.c families/class.c
  families/compare.c families/compare_layer.c families/compare_rotation.c
  families/config.c families/config_gguf.c families/config_value.c
  families/convert.c families/convert_back.c families/convert_back_config.c
  families/convert_back_items.c families/convert_gguf.c
  families/convert_gguf_items.c families/convert_gguf_keys.c
  families/convert_gguf_kinds.c families/convert_gguf_names.c
  families/convert_gguf_put.c families/convert_gguf_rope.c
  families/convert_latent.c families/convert_names.c
  families/convert_others.c families/convert_parts.c families/convert_path.c
  families/convert_positions.c families/convert_project.c
  families/convert_rows.c families/convert_states.c
  families/convert_tokenizer.c families/convert_verify.c
  families/convert_write.c families/extend.c families/extend_json.c
  families/extend_model.c families/extend_settings.c families/family.c
  families/identify.c families/identify_bias.c families/identify_distances.c
  families/identify_files.c families/identify_known.c
  families/identify_number.c families/identify_pair.c
  families/identify_ramps.c families/identify_rotation.c
  families/identify_rule.c families/identify_scores.c
  families/identify_solve.c families/identify_table.c
  families/identify_weights.c families/model.c families/model_generate.c
  families/model_greet.c families/model_input.c families/model_probe.c
  families/model_run.c families/model_share.c families/model_sight.c
  families/net_adaptive.c families/net_attention.c
  families/net_attention_bind.c families/net_bind.c families/net_block.c
  families/net_cache.c families/net_convolution.c families/net_cross.c
  families/net_delta.c families/net_enter.c families/net_experts.c
  families/net_families.c families/net_family_keys.c
  families/net_family_linear.c families/net_gguf.c families/net_grid.c
  families/net_inputs.c families/net_latent.c families/net_length.c
  families/net_linear.c families/net_losses.c families/net_math_f32.c
  families/net_math_f64.c families/net_matrix.c families/net_memory.c
  families/net_merger.c families/net_mixture.c families/net_mlp.c
  families/net_names.c families/net_norm.c families/net_open.c
  families/net_patches.c families/net_patches_bind.c families/net_probe.c
  families/net_probe_json.c families/net_probe_rows.c families/net_room.c
  families/net_run.c families/net_share.c families/net_sight.c
  families/net_stack.c families/net_streams.c families/net_whole.c
  families/net_windows.c families/pairing.c families/plan.c
  families/plan_alibi.c families/plan_beside.c families/plan_decoder.c
  families/plan_gguf.c families/plan_gguf_keys.c families/plan_gguf_names.c
  families/plan_gguf_rope.c families/plan_keys.c families/plan_layers.c
  families/plan_learned.c families/plan_names.c families/plan_own.c
  families/plan_pairs.c families/plan_params.c families/plan_rope.c
  families/plan_scaling.c families/plan_sizes.c families/plan_spec.c
  families/plan_stack.c families/plan_tower.c families/plan_vision.c
  families/plan_waves.c families/plan_with.c families/position_plan.c
  families/position_plan_json.c families/spec_key.c families/tokenizer.c
  families/tokenizer_merges.c families/tokenizer_parts.c
  families/tokenizer_put.c families/turns.c families/weights.c
  families/weights_file.c families/weights_find.c families/weights_gguf.c
  families/weights_index.c
  corpus/batches.c corpus/corpus.c corpus/corpus_folders.c
  corpus/corpus_kept.c corpus/corpus_paths.c corpus/corpus_split.c
  corpus/corpus_text.c corpus/corpus_walk.c corpus/generator.c corpus/ngram.c
  corpus/ngram_cache.c corpus/reserve.c corpus/token_pairs.c corpus/tokens.c
  corpus/vocabulary.c corpus/vocabulary_train.c
  store/checkpoint.c store/checkpoint_memory.c store/clock.c
  store/copy_rows.c store/corpus_recipe.c store/merge_checkpoint.c
  store/merge_texts.c store/notice.c store/run_sizes.c store/run_vocabulary.c
  store/speed.c store/store.c store/store_eval.c store/store_files.c
  store/store_guard.c store/store_keep.c store/store_merge.c
  store/store_migrate.c store/store_open.c store/store_protocols.c
  store/store_readonly.c store/store_rows.c store/store_runs.c
  store/store_sql.c store/store_texts.c store/sums.c
  train/load_trained.c train/ranks.c train/register.c train/train.c
  train/train_advice.c train/train_begin.c train/train_group.c
  train/train_options.c train/train_parent.c train/train_resume.c
  train/train_set_up.c train/train_step.c train/train_time.c
  measure/claims.c measure/context_use.c measure/evaluate.c
  measure/evaluate_as.c measure/evaluate_checks.c measure/evaluate_context.c
  measure/evaluate_ranks.c measure/evaluate_shared.c
  measure/evaluate_windows.c measure/extension.c measure/extension_cell.c
  measure/extension_plan.c measure/forecast.c measure/forecast_seeds.c
  measure/forecast_time.c measure/gates.c measure/identities.c measure/jobs.c
  measure/losses.c measure/measures.c measure/numbers.c
  measure/numbers_extension.c measure/numbers_facts.c
  measure/numbers_orderings.c measure/numbers_pairs.c
  measure/numbers_probes.c measure/numbers_put.c measure/numbers_surface.c
  measure/numbers_tasks.c measure/numbers_training.c measure/plan.c
  measure/plan_chosen.c measure/plan_run.c measure/probe.c
  measure/probe_attention.c measure/probe_field.c measure/probe_maps.c
  measure/probe_partial.c measure/probe_rows.c measure/probe_states.c
  measure/probe_tables.c measure/probe_training.c measure/probe_usage.c
  measure/probe_window.c measure/properties.c measure/report_part.c
  measure/report_parts.c measure/report_tasks.c measure/report_tasks_plan.c
  measure/results.c measure/results_probe.c measure/results_references.c
  measure/results_runs.c measure/results_sections.c measure/results_tasks.c
  measure/rope_theory.c measure/statistics.c measure/statistics_bootstrap.c
  measure/statistics_crossed.c measure/statistics_power.c
  measure/statistics_rank.c measure/statistics_tests.c
  measure/statistics_unpaired.c measure/study.c measure/study_compare.c
  measure/study_compare_parts.c measure/study_file.c measure/study_read.c
  measure/study_row.c measure/surface.c measure/sweep.c measure/task_copy.c
  measure/task_hypotheses.c measure/task_list.c measure/task_markov.c
  measure/task_recall.c measure/task_recorded.c measure/task_row.c
  measure/task_score.c measure/task_state.c measure/task_tally.c
  measure/tasks.c measure/text_weights.c measure/training.c
  figure/axes.c figure/canvas.c figure/canvas_cairo.c figure/check.c
  figure/columns.c figure/columns_table.c figure/curves.c figure/data.c
  figure/draw.c figure/drawing.c figure/heatmap.c figure/inline.c
  figure/inline_map.c figure/inline_text.c figure/kinds.c figure/legend.c
  figure/palette.c figure/panels.c figure/rows.c figure/screen.c
  figure/style.c figure/terminal.c figure/terminal_plot.c
  figure/terminal_rows.c
  report/cell.c report/export.c report/export_csv.c report/export_tex.c
  report/figures.c report/figures_draw.c report/figures_extension.c
  report/figures_learning.c report/figures_probe.c report/figures_rope.c
  report/figures_tasks.c report/figures_tasks_maps.c report/figures_text.c
  report/gate_text.c report/html_message.c report/html_table.c report/lines.c
  report/messages.c report/page.c report/page_compare.c report/page_data.c
  report/page_extension.c report/page_figures.c report/page_identities.c
  report/page_notes.c report/page_numbers.c report/page_pairs.c
  report/page_probes.c report/page_protocols.c report/page_quote.c
  report/page_script.c report/page_studies.c report/page_style.c
  report/page_summary.c report/page_surface.c report/page_table.c
  report/page_task.c report/page_tasks.c report/page_verdict.c
  report/picture_buckets.c report/picture_circle.c report/picture_content.c
  report/picture_hooks.c report/picture_input.c report/picture_maps.c
  report/picture_order.c report/picture_rotate.c report/picture_score.c
  report/picture_terms.c report/pictures.c report/probe_points.c
  report/references.c report/report.c report/statement.c report/studies.c
  report/subject.c report/weights.c
  vectors/vector_angles.c vectors/vector_bias.c vectors/vector_bundle.c
  vectors/vector_cases.c vectors/vector_compare.c vectors/vector_dump.c
  vectors/vector_groups.c vectors/vector_inputs.c vectors/vector_neighbours.c
  vectors/vector_quantities.c vectors/vector_rope.c vectors/vector_rotate.c
  vectors/vector_tolerance.c vectors/vector_values.c vectors/vector_verify.c
  vectors/vector_write.c)
set(COMMAND_SOURCES
  args.c arrays.c bench_ranks.c cmd_angles.c cmd_attend.c cmd_bench.c
  cmd_bias.c cmd_doctor.c cmd_eval.c cmd_figure.c cmd_graph.c cmd_list.c
  cmd_model.c cmd_positions.c cmd_probe.c cmd_report.c cmd_resize.c
  cmd_rotate.c cmd_runs.c cmd_selftest.c cmd_show.c cmd_similarity.c
  cmd_study.c cmd_table.c cmd_tasks.c cmd_train.c cmd_tutorial.c corpus.c
  course.c course_style.c errors.c eval_task.c figure_runs.c figure_text.c
  help.c homework.c job.c json.c language.c launcher.c main.c model_check.c
  model_compare.c model_convert.c model_extend.c model_generate.c
  model_identify.c model_input.c model_inspect.c model_logits.c
  model_losses.c model_maps.c model_plan.c model_probe.c model_score.c
  model_text.c model_vectors.c model_waves.c mpi.c owned.c params.c
  positions_forms.c positions_input.c positions_rows.c positions_windows.c
  ranks.c report_lists.c report_part.c runs_fields.c runs_resume.c safe.c
  show_attend.c show_checks.c show_layers.c show_markdown.c show_picture.c
  study_compare.c task_scores.c terminal.c tutorial_rows.c tutorial_runs.c)
set(TUTORIAL_SOURCES
  checks.c chinese.c course.c encodings.c figures.c homework.c lines.c
  network.c print.c resources.c run.c tables.c tensors.c
  s0/benchmark.c s0/effect.c s0/order.c s0/sinusoidal.c s0/tables.c
  s0/variants.c s0/words.c
  s1/absolute.c s1/attention.c s1/rotary.c
  s2/fixed.c s2/learned.c s2/models.c s2/relative.c
  s3/absolute.c s3/future.c s3/model.c s3/order.c s3/relative.c s3/rotary.c
  s3/survey.c
  s4/alibi.c s4/rotary.c s4/sinusoid.c s4/survey.c s4/train.c)
set(ORACLE_SOURCES
  oracle/alibi.c oracle/axes.c oracle/cape.c oracle/carope.c oracle/case.c
  oracle/check_angles.c oracle/check_attend.c oracle/check_bias.c
  oracle/check_doors.c oracle/check_ids.c oracle/check_resize.c
  oracle/check_rotate.c oracle/check_table.c oracle/conformer.c oracle/cope.c
  oracle/cosine.c oracle/crossformer.c oracle/dape.c oracle/deberta.c
  oracle/dpb.c oracle/exact.c oracle/exact_functions.c oracle/fire.c
  oracle/fope.c oracle/formula.c oracle/formula_declared.c
  oracle/formula_functions.c oracle/fox.c oracle/grape_a.c oracle/grape_m.c
  oracle/graph.c oracle/hooks.c oracle/kerple.c oracle/layers.c
  oracle/learned.c oracle/learned2d.c oracle/list.c oracle/mrope.c
  oracle/muon.c oracle/music.c oracle/nodes.c oracle/none.c oracle/oracle.c
  oracle/path.c oracle/pope.c oracle/problem.c oracle/relative.c
  oracle/repo.c oracle/resize.c oracle/rope.c oracle/rope2d.c oracle/rope3d.c
  oracle/rope_imaginary.c oracle/rope_mixed.c oracle/rope_scaling.c
  oracle/run.c oracle/sandwich.c oracle/scale_invariant.c
  oracle/selective_rope.c oracle/shaw.c oracle/sincos2d.c oracle/sincos3d.c
  oracle/sinusoidal.c oracle/ssmax.c oracle/stick_breaking.c oracle/swin.c
  oracle/swinv2.c oracle/t5.c oracle/tapa.c oracle/transformer_xl.c
  oracle/trial.c oracle/urpe.c oracle/vjepa2.c oracle/wavlm.c
  oracle/window_rope.c oracle/xlnet.c oracle/xpos.c)
set(JUDGES
  oracle/attend.c oracle/attention.c oracle/bits.c oracle/company.c
  oracle/company_calls.c oracle/dense.c oracle/draw.c oracle/mixed.c
  oracle/near.c oracle/positions.c oracle/rows.c oracle/statistics.c
  oracle/tasks.c)
set(TESTS
  test_angle test_angle_hash test_angle_mpfr test_append test_attention
  test_attention_bf16 test_attention_bf16_bits test_attention_blocks
  test_attention_content test_attention_corners test_attention_decode
  test_attention_decode_far test_attention_dense test_attention_edges
  test_attention_factor_hooks test_attention_factors test_attention_half
  test_attention_hidden test_attention_inputs test_attention_leaves
  test_attention_masks test_attention_options test_attention_options_plain
  test_attention_padding test_attention_paged test_attention_parts
  test_attention_parts_refusals test_attention_plain_loops
  test_attention_ragged test_attention_refusals test_attention_rotated_values
  test_attention_rules test_attention_state test_attention_sums
  test_attention_tiles test_attention_widths test_bench test_bench_print
  test_bench_ranks test_biases test_characters test_check_grids
  test_check_turns test_check_values test_checkpoint test_class test_compare
  test_config test_content test_content_angles test_content_hooks
  test_content_inputs test_content_rules test_content_terms test_context_use
  test_convert test_convert_back test_convert_gguf test_convert_latent
  test_convert_names test_coordinates_backward test_coordinates_by_head
  test_core test_corpus test_corpus_text test_corpus_unreadable
  test_door_arguments test_double_rows test_dual_chunk test_encoding_alibi
  test_encoding_isa test_encoding_kerple test_encoding_learned
  test_encoding_none test_encoding_rope test_encoding_sinusoidal
  test_encoding_t5 test_encoding_values test_eval_group test_evaluate
  test_evaluate_as test_export test_extend test_extension
  test_extension_failures test_faults test_figure test_figure_inline
  test_figure_panels test_figure_terms test_figure_text test_figures_rope
  test_forecast test_formula test_formula_tiles test_formula_tokens
  test_formula_twins test_frequencies test_gates test_gguf test_graph
  test_graph_rules test_group test_half test_identify test_identify_arrays
  test_identities test_ids test_input_add test_io test_kernel_pairs
  test_kernels test_kernels_bias test_kills test_layer_maps test_lengths
  test_merge test_messages test_model test_model_check test_model_check_fit
  test_model_check_refusals test_model_check_sentences
  test_model_check_tensors test_model_each test_model_encodings
  test_model_group test_model_hooks test_model_leaves test_model_memory
  test_model_rope_mixed test_model_rows test_model_rules test_model_sequence
  test_model_train test_multimodal test_muon test_muon_f32 test_net
  test_net_linear test_net_probe test_net_probe_cross test_ngram test_nn
  test_nn_f32 test_nn_product test_npy test_number_types test_numbers
  test_oracles_content test_oracles_input test_oracles_rotate
  test_oracles_score test_page test_page_cells test_page_data
  test_page_script test_page_tasks test_phase test_pictures test_plan_gguf
  test_poll test_position_plan test_positions test_positions_grid
  test_positions_random test_positions_windows test_probe test_probe_numbers
  test_probe_partial test_probe_run test_probe_training test_property
  test_published_plans test_quant test_quant_kernels test_real_company
  test_real_positions test_references test_registry test_report
  test_report_full test_report_tasks test_rerotate test_resize
  test_resize_rules test_rope_axes test_rope_frequencies test_rope_learned
  test_rope_maps test_rope_recipes test_rope_scaling test_rope_scaling_mpfr
  test_rope_theory test_rope_widths test_rotate_blocks test_rotate_f64
  test_score test_score_tables test_sections test_shared test_sight
  test_source test_spec test_statistics test_statistics_curves
  test_statistics_unpaired test_store test_store_crowd test_store_docs
  test_store_guard test_store_keep test_store_migrate test_store_refusals
  test_store_sittings test_store_texts test_store_values test_study
  test_study_compare test_surface test_sweep test_task_run test_tasks
  test_tensors test_tensors_file test_tokenizer test_tokenizer_scores
  test_tokens test_towers test_train test_train_group test_train_leaves
  test_train_norms test_train_parent test_train_sequence test_train_source
  test_traits_attention test_traits_calls test_traits_limit
  test_traits_params test_traits_refusals test_traits_relative
  test_traits_specs test_traits_sums test_traits_values test_tree
  test_vectors test_verdict test_vocabulary test_weights test_xpos_pope)
