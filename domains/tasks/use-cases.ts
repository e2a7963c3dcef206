/** The use cases of a personal task list. */
export interface Task {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly completed: boolean;
}

export interface TaskRepository {
  add(title: string, description: string | null): Promise<Task>;
  all(): Promise<Task[]>;
  get(id: number): Promise<Task | null>;
  save(task: Task): Promise<Task>;
  remove(id: number): Promise<void>;
}

export function taskUseCases(repository: TaskRepository) {
  return {
    addTask: (title: string, description?: string) => repository.add(title, description ?? null),
    findTask: (id: number) => repository.get(id),
    listTasks: () => repository.all(),
    async completeTask(id: number): Promise<Task | null> {
      const task = await repository.get(id);
      return task && repository.save({ ...task, completed: true });
    },
    async deleteTask(id: number): Promise<Task | null> {
      const task = await repository.get(id);
      if (task) await repository.remove(id);
      return task;
    },
    async updateTask(id: number, change: { title?: string | undefined; description?: string | undefined }): Promise<Task | null> {
      const task = await repository.get(id);
      return task && repository.save({ ...task, title: change.title ?? task.title, description: change.description ?? task.description });
    },
  };
}
