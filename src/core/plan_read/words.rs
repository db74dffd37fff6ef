//! The words people write, in the languages people write plans in. How they are compared is in `fold`. The tables are set by
//! hand: one word a line would make them unreadable.

use crate::core::plan::Status;

/// Words of a status. The longest that fits counts.
#[rustfmt::skip]
pub(super) const STATUS: &[(Status, &[&str])] = &[
    (
        Status::Complete,
        &[
            "complete", "completed", "done", "finished", "verified", "shipped", "完成", "已完成", "完了", "完成了",
            "completado", "completada", "completo", "completa", "terminado", "terminada", "hecho", "hecha",
            "concluído", "concluída", "concluido", "feito", "feita", "abgeschlossen", "fertig", "erledigt",
            "terminé", "terminée", "achevé", "fini", "fait", "completato", "completata", "fatto", "завершено",
            "готово", "выполнено", "완료", "완료됨", "مكتمل", "مكتملة", "اكتمل", "تم",
        ],
    ),
    (
        Status::InProgress,
        &[
            "in progress", "inprogress", "wip", "ongoing", "active", "started", "doing", "underway", "进行中", "進行中",
            "正在进行", "处理中", "開始", "実施中", "作業中", "en progreso", "en curso", "en proceso", "em andamento",
            "em progresso", "em curso", "in arbeit", "in bearbeitung", "laufend", "läuft", "en cours", "in corso",
            "в процессе", "в работе", "진행 중", "진행중", "قيد التنفيذ", "جاري", "جارية", "جاري العمل",
        ],
    ),
    (
        Status::Pending,
        &[
            "pending", "planned", "todo", "to do", "not started", "open", "queued", "ready", "upcoming", "未开始",
            "未開始", "待办", "待辦", "待开始", "待開始", "待处理", "待處理", "计划中", "計劃中", "未着手", "予定", "pendiente", "por hacer",
            "sin empezar", "planificado", "planificada", "pendente", "a fazer", "planejado", "não iniciado",
            "não iniciada", "offen", "ausstehend", "geplant", "nicht begonnen", "à faire", "en attente", "prévu",
            "prévue", "da fare", "in attesa", "запланировано", "ожидает", "не начато", "예정", "대기", "대기 중",
            "قيد الانتظار", "معلق", "معلقة", "لم يبدأ", "لم تبدأ",
        ],
    ),
    (
        Status::Waiting,
        &[
            "waiting", "blocked", "paused", "on hold", "阻塞", "已阻塞", "受阻", "暂停", "已暂停", "暫停", "已暫停", "等待中", "等待",
            "保留", "ブロック", "bloqueado", "bloqueada", "pausado", "pausada", "blockiert", "pausiert", "wartet",
            "bloqué", "bloquée", "en pause", "bloccato", "in pausa", "заблокировано", "приостановлено", "보류", "차단됨",
            "متوقف", "متوقفة", "محظور",
        ],
    ),
    (
        Status::Skipped,
        &[
            "skipped", "skip", "deferred", "postponed", "cancelled", "canceled", "dropped", "abandoned", "跳过", "已跳过",
            "跳過", "已跳過", "取消", "已取消", "推迟", "延期", "スキップ", "中止", "omitido", "omitida", "cancelado", "cancelada",
            "aplazado", "adiado", "adiada", "übersprungen", "verschoben", "abgebrochen", "ignoré", "ignorée",
            "reporté", "reportée", "annulé", "annulée", "saltato", "annullato", "пропущено", "отменено", "отложено",
            "건너뜀", "취소", "تم التخطي", "ملغى", "ملغاة", "مؤجل", "مؤجلة",
        ],
    ),
    (
        Status::Failed,
        &[
            "failed", "失败", "失敗", "fallido", "fallida", "falhou", "fehlgeschlagen", "gescheitert", "échoué",
            "échouée", "fallito", "не удалось", "실패", "فشل", "فشلت",
        ],
    ),
];

/// Emoji that stand for a status.
pub(super) const MARKS: &[(char, Status)] = &[
    ('✅', Status::Complete),
    ('☑', Status::Complete),
    ('✔', Status::Complete),
    ('✓', Status::Complete),
    ('🔄', Status::InProgress),
    ('🚧', Status::InProgress),
    ('🏗', Status::InProgress),
    ('🔨', Status::InProgress),
    ('⏳', Status::Pending),
    ('⬜', Status::Pending),
    ('☐', Status::Pending),
    ('🔲', Status::Pending),
    ('📋', Status::Pending),
    ('⛔', Status::Waiting),
    ('🚫', Status::Waiting),
    ('⏸', Status::Waiting),
    ('⏭', Status::Skipped),
    ('❌', Status::Failed),
];

/// Labels of a status line and headers of a status column.
#[rustfmt::skip]
pub(super) const STATUS_LABELS: &[&str] = &[
    "status", "state", "状态", "狀態", "状況", "ステータス", "estado", "stato", "zustand", "statut", "état", "статус", "상태",
    "الحالة", "حالة",
];

/// Headings of the goal.
#[rustfmt::skip]
pub(super) const GOAL: &[&str] = &[
    "goal", "goals", "the goal", "objective", "objectives", "目标", "目標", "项目目标", "任务目标", "ゴール", "目的", "objetivo",
    "objetivos", "ziel", "ziele", "objectif", "objectifs", "but", "obiettivo", "цель", "목표", "الهدف", "الأهداف",
];

/// Headings of a phase list.
#[rustfmt::skip]
pub(super) const PHASES: &[&str] = &[
    "phases", "the phases", "project phases", "phase list", "phase overview", "阶段", "階段", "各阶段", "阶段列表", "阶段划分",
    "フェーズ", "fases", "etapas", "phasen", "étapes", "fasi", "фазы", "этапы", "단계", "المراحل",
];

/// Headings under which a list of boxes is taken for a phase list.
#[rustfmt::skip]
pub(super) const LIKE_PHASES: &[&str] = &[
    "plan", "the plan", "tasks", "task list", "milestones", "roadmap", "stages", "steps", "work plan", "计划", "計劃",
    "計画", "任务", "任務", "任务列表", "里程碑", "步骤", "步驟", "路线图", "タスク", "tareas", "hitos", "pasos", "tarefas", "marcos",
    "passos", "aufgaben", "meilensteine", "meilenstein", "schritte", "tâches", "jalons", "attività", "задачи", "작업",
    "المهام", "الخطوات", "الخطة",
];

/// Headings that end the live plan.
#[rustfmt::skip]
pub(super) const ARCHIVED: &[&str] = &[
    "archived", "归档", "已归档", "歸檔", "已歸檔", "アーカイブ済み", "archivado", "arquivado", "archiviert", "مؤرشف",
];

/// Headings that end the live plan if they say nothing else.
#[rustfmt::skip]
pub(super) const ARCHIVE: &[&str] = &[
    "archive", "archives", "アーカイブ", "archivo", "arquivo", "archiv", "архив", "الأرشيف", "old plans",
    "previous plans",
];

/// Words before a phase number.
#[rustfmt::skip]
pub(super) const PHASE: &[&str] = &["phase", "阶段", "階段", "フェーズ", "fase", "фаза", "단계", "المرحلة", "مرحلة"];

/// Words that count as a phase word only where none of [`PHASE`] is used.
#[rustfmt::skip]
pub(super) const OTHER_PHASE: &[&str] = &[
    "批次", "里程碑", "stage", "milestone", "batch", "étape", "etapa", "hito", "marco", "meilenstein", "этап", "マイルストーン",
];

/// Headers of a title column.
#[rustfmt::skip]
pub(super) const TITLE_LABELS: &[&str] = &[
    "phase", "title", "name", "task", "description", "milestone", "stage", "step", "阶段", "階段", "名称", "名稱", "任务",
    "任務", "描述", "内容", "內容", "步骤", "里程碑", "阶段名称", "フェーズ", "タスク", "fase", "tarea", "tarefa", "nombre", "nome",
    "descripción", "descrição", "etapa", "aufgabe", "étape", "tâche", "фаза", "этап", "задача", "단계", "작업",
    "المرحلة", "المهمة",
];

/// Headers of a column of numbers.
#[rustfmt::skip]
pub(super) const NUMBER_LABELS: &[&str] =
    &["#", "id", "no", "no.", "nr", "nr.", "n°", "number", "编号", "編號", "序号", "序號", "番号"];

/// Number words, from one.
pub(super) const ORDINALS: &[&[&str]] = &[
    &["one", "first", "uno", "um", "eins", "الأولى"],
    &["two", "second", "dos", "dois", "zwei", "الثانية"],
    &["three", "third", "tres", "três", "drei", "الثالثة"],
    &["four", "fourth", "cuatro", "quatro", "vier", "الرابعة"],
    &["five", "fifth", "cinco", "fünf", "الخامسة"],
    &["six", "sixth", "seis", "sechs", "السادسة"],
    &["seven", "seventh", "siete", "sete", "sieben", "السابعة"],
    &["eight", "eighth", "ocho", "oito", "acht", "الثامنة"],
    &["nine", "ninth", "nueve", "nove", "neun", "التاسعة"],
    &["ten", "tenth", "diez", "dez", "zehn", "العاشرة"],
];
